import ErrandCore

/// An error in the command line: what is wrong, and what to do instead.
struct UsageError: Error, Sendable, Hashable {
  let message: String
  let hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

extension String {
  /// The text in quotes, without the secrets of a URL, because error messages are often logged.
  var quotedWithoutSecrets: String { Secrets.standard.redactAnything(self).clippedURL.debugDescription }
}

/// The error for an option that a command does not have, with a hint at the option that was probably meant.
struct UnknownOption {
  let error: UsageError

  init(_ given: String, _ command: CommandSpec) {
    let hint =
      Self.habit(given) ?? Self.elsewhere(given) ?? Self.nearest(given, command) ?? Self.nearestElsewhere(
        given)
      ?? "errand help \(command.name) lists the options."
    error = UsageError("errand \(command.name) has no option \(given)", hint: hint)
  }

  /// Returns a hint for an option of curl or HTTPie that the command does not have.
  private static func habit(_ given: String) -> String? { habits.first { $0.names.contains(given) }?.hint }

  /// Options of curl and HTTPie, each with what errand has for it.
  static let habits: [(names: [String], hint: String)] = [
    (["-X", "--request"], "For another method: errand -X METHOD URL."),
    (
      ["-L", "--location", "--location-trusted", "--follow"],
      "errand follows redirects by default; --no-redirects turns that off."
    ),
    (
      ["-O", "--remote-name", "-J", "--remote-header-name", "--download"],
      "errand -O URL names the file after the response or the URL, and errand download URL after the URL."
    ),
    (["-C", "--continue-at", "--continue"], "errand download URL --resume continues a partial download."),
    (["-I", "--head"], "errand head URL gets only the header fields."),
    (["-T", "--upload-file"], "errand upload FILE URL sends a file."),
    (
      ["-c", "-j", "--cookie-jar", "--junk-session-cookies"],
      "--cookies FILE sends the cookies in a file, and stores new ones there."
    ),
    (
      ["-s", "--silent", "-#", "--progress-bar", "--no-progress-meter"],
      "errand shows progress only on a terminal; errand -s URL shows none."
    ),
    (
      ["-m", "--max-time"],
      "--deadline 30s limits the whole request, --timeout 10s the time without progress."
    ),
    (["-Y", "-y", "--speed-limit", "--speed-time"], "--timeout 10s limits the time without progress."),
    (["--data-binary", "--data-ascii"], "-d sends bytes unchanged."),
    (["--form-string"], "-F 'name=\"value\"' sends a value that begins with @ or <."),
    (
      ["--compressed"],
      "errand always accepts compressed responses; --compress compresses the body that it sends."
    ),
    (
      ["-f", "--fail", "--fail-with-body", "--check-status"],
      "errand always ends with 1 after an error status; errand -f URL prints no body of it."
    ),
    (["--url"], "Write the URL as an argument without an option."),
    (["--default-scheme"], "Write the scheme before the host: http:// or https://."),
    (["-r", "--range"], "For a part of a file: -H 'Range: bytes=0-99'."),
    (["-z", "--time-cond"], "-H 'If-Modified-Since: DATE' asks for a newer response."),
    (["-0", "--http1.0"], "errand sends HTTP/1.1 or HTTP/2: --http1.1, --http2."),
    (["--noproxy"], "--proxy none uses no proxy; the variable no_proxy names hosts without one."),
    (["-U"], "--proxy-user USER:PASSWORD logs in to the proxy."),
    (["-:", "--next"], "Run errand once for each request: its options hold for all of its URLs."),
    (["--output-dir"], "The name of a file may have a folder: -o FOLDER/FILE."),
    (["--create-dirs"], "Make the folder before: mkdir -p FOLDER."),
    (
      ["-D", "--dump-header"], "-i prints the header fields before the body; errand head URL prints no body."
    ),
    (["-R", "--remote-time"], "A file that errand writes has the time at which it was written."),
    (["-n"], "--netrc logs in with the host's entry in ~/.netrc."),
    (["--netrc-file", "--netrc-optional"], "--netrc logs in with ~/.netrc, or with the file in $NETRC."),
    (
      ["-K", "--config"],
      "The options in ~/.config/errand/config, or in the file $ERRAND_CONFIG, hold for every request."
    ),
    (["-a", "--auth", "--basic"], "-u USER:PASSWORD logs in with Basic; for a token: --bearer TOKEN."),
    (
      ["--auth-type", "--anyauth", "--ntlm", "--negotiate"],
      "-u USER:PASSWORD logs in with Basic, and with --digest by Digest; for a token: --bearer TOKEN."
    ),
    (["--oauth2-bearer"], "--bearer TOKEN sends a bearer token."),
    (["--url-query"], "-q name=value adds to the URL's query."),
    (["--connect-to"], "--resolve HOST:PORT:ADDRESS connects to another address."),
    (
      ["--retry-delay", "--retry-max-time", "--retry-all-errors", "--retry-connrefused"],
      "--retry 3 waits longer after each failure; --deadline 1m limits all attempts together."
    ),
    (
      ["-1", "--tlsv1", "--tlsv1.0", "--tlsv1.1", "--tlsv1.2", "--tlsv1.3", "--tls-max", "--ssl"],
      "--tls-min 1.3 is the lowest version of TLS to accept; the default is 1.2."
    ),
    (["-E"], "--cert FILE:PASSWORD is the client certificate."),
    (["--cert-key"], "--key FILE is the private key of --cert."),
    (["--pass", "--cert-key-pass"], "--key-password @FILE names a file with the password of the key."),
    (["--capath"], "--cacert FILE trusts the certificate authorities in a file."),
    (["--pinnedpubkey"], "--pin HOST=sha256/BASE64 accepts only this public key."),
    (["--stderr"], "The shell sends standard error to a file: 2> FILE."),
    (
      ["--path-as-is"],
      "errand sends a path without its . and .. segments (RFC 3986); encode a segment to keep it."
    ),
    (["--ignore-stdin"], "errand reads standard input only for POST, PUT and PATCH, and for -d -."),
    (["-p"], "--print HBhb prints the parts that it names."),
    (
      ["--pretty", "--style", "--format-options", "--sorted", "--unsorted"],
      "errand lays out JSON on a terminal; --raw turns that off."
    ),
    (["--meta"], "-v shows the timing, and -w '%{time_total}' prints it."),
    (["--max-redirects"], "--max-redirs 10 is the most redirects to follow."),
    (["--session-read-only"], "--session FILE stores only what the command line gives it, and new cookies."),
    (["-M", "--manual"], "errand man prints the manual page."),
  ]

  /// Returns a hint at the commands that have exactly this option.
  private static func elsewhere(_ given: String) -> String? {
    let all = CommandSpec.all + CommandSpec.all.flatMap(\.subcommands)
    let owners = all.filter { $0.options.contains { $0.names.contains(given) } }.map { "errand \($0.name)" }
    guard let first = owners.first else { return nil }
    return switch owners.count {
    case 1: "\(given) belongs to \(first)."
    case 2: "\(given) belongs to \(first) and \(owners[1])."
    default: "\(given) belongs to \(first), \(owners[1]) and other commands, but not to this one."
    }
  }

  private static func nearestElsewhere(_ given: String) -> String? {
    guard given.hasPrefix("--"), let near = Spelling.nearest(to: given, in: OptionSpec.all.flatMap(\.names))
    else { return nil }
    return elsewhere(near).map {
      "Did you mean \(near)? \($0.replacing("\(near) belongs", with: "It belongs"))"
    }
  }

  private static func nearest(_ given: String, _ command: CommandSpec) -> String? {
    // A letter is near to every other letter.
    guard given.hasPrefix("--") else { return nil }
    return Spelling.nearest(to: given, in: command.options.compactMap { $0.long.map { "--\($0)" } })
      .map { "Did you mean \($0)?" }
  }
}

/// Finds the known word that is closest to a misspelled one.
enum Spelling {
  /// Returns the candidate with the smallest distance, or nil if that is more than a third of the word's
  /// letters (at least 1).
  static func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
    let word = word.lowercased()
    let best = candidates.map { ($0, distance(Array(word), Array($0.lowercased()))) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= max(1, word.count / 3) else { return nil }
    return best.0
  }

  /// Returns the number of letters that are added, removed, replaced or swapped (optimal string alignment).
  static func distance(_ a: [Character], _ b: [Character]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var before = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          row[j] = min(row[j], before[j - 2] + 1)
        }
      }
      (before, last) = (last, row)
    }
    return last[b.count]
  }
}
