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

  /// Returns a hint for an option of curl that the command does not have.
  private static func habit(_ given: String) -> String? {
    switch given {
    case "-X", "--request": "For another method: errand -X METHOD URL."
    case "-L", "--location": "errand follows redirects by default; --no-redirects turns that off."
    case "-O", "--remote-name": "errand download URL names the file after the URL."
    case "-C", "--continue-at": "errand download URL --resume continues a partial download."
    case "-I", "--head": "errand head URL gets only the header fields."
    case "-T", "--upload-file": "errand upload FILE URL sends a file."
    case "-c", "--cookie-jar": "--cookies FILE sends the cookies in a file, and stores new ones there."
    case "-s", "--silent": "errand shows no progress unless standard error is a terminal."
    case "-m", "--max-time":
      "--deadline 30s limits the whole request, --timeout 10s the time without progress."
    case "--data-binary": "-d sends bytes unchanged."
    case "--compressed":
      "errand always accepts compressed responses; --compress compresses the body that it sends."
    case "-f", "--fail": "errand always ends with 1 after an error status."
    default: nil
    }
  }

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
