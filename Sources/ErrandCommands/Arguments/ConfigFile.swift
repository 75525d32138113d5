import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The options that a user's file gives to every request, or to the requests to some hosts.
///
/// A line has options as on the command line. `[api.example.com]` begins the options for a host, and
/// `[*.example.com]` those for all names below it; lines before apply to all hosts. `#` begins a comment.
struct ConfigFile: Sendable, Hashable {
  private struct Section: Sendable, Hashable {
    let host: String
    var options: [ScannedArguments.Given] = []
  }

  private var sections: [Section] = [Section(host: "*")]

  private(set) var path: String?
  /// A sentence for the user if other users can read a password in the file; nil otherwise.
  private(set) var warning: String?

  init() {}

  /// - Parameter path: The file's path, for messages.
  init(_ text: String, path: String) throws(UsageError) {
    self.path = path
    // A line break of Windows is one character.
    let lines = text.split(omittingEmptySubsequences: false) { ["\n", "\r\n", "\r"].contains($0) }
    for (index, line) in lines.enumerated() {
      do throws(UsageError) {
        try take(ASCII.trimmed(index == 0 && line.first == "\u{FEFF}" ? line.dropFirst() : line))
      } catch {
        throw UsageError("\(path), line \(index + 1): \(error.message)", hint: error.hint)
      }
    }
  }

  private mutating func take(_ line: String) throws(UsageError) {
    if line.isEmpty || line.hasPrefix("#") { return }
    if line.hasPrefix("["), line.hasSuffix("]") {
      let host = ASCII.trimmed(line.dropFirst().dropLast())
      let colons = host.count { $0 == ":" }
      guard !host.isEmpty, !host.contains(where: { "/@ ".contains($0) }), colons != 1 else {
        throw UsageError(
          "a section is the name of a host, without a port", hint: "For example: [api.example.com]")
      }
      sections.append(Section(host: Self.comparable(host)))
      return
    }
    let scanned = try ScannedArguments(try Self.words(line), for: .request)
    // The word may be the rest of a secret, so it is not shown.
    guard scanned.operands.isEmpty else {
      throw UsageError(
        "a word on the line belongs to no option",
        hint: "A value with spaces needs quotes: -H 'Accept: text/plain'.")
    }
    sections[sections.count - 1].options += scanned.options
  }

  /// Splits a line as a shell does, with both kinds of quotes and the backslash.
  private static func words(_ line: String) throws(UsageError) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = line[...]
    while let next = rest.popFirst() {
      if let open = quote {
        if next == open {
          quote = nil
        } else if next == "\\", open == "\"", let escaped = rest.popFirst() {
          word?.append(escaped)
        } else {
          word?.append(next)
        }
      } else if next == " " || next == "\t" {
        if let done = word { words.append(done) }
        word = nil
      } else if next == "'" || next == "\"" {
        (quote, word) = (next, word ?? "")
      } else if next == "\\", let escaped = rest.popFirst() {
        word = (word ?? "") + String(escaped)
      } else {
        word = (word ?? "") + String(next)
      }
    }
    if quote != nil { throw UsageError("a quote is not closed") }
    if let word { words.append(word) }
    return words
  }

  /// Reads the file in `$ERRAND_CONFIG`, or else `errand/config` in `$XDG_CONFIG_HOME` or `~/.config`, if it exists.
  static func ofUser(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws
    -> ConfigFile
  {
    let named = environment["ERRAND_CONFIG"]
    let folder =
      environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? environment["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/.config" }
    guard let path = named ?? folder.map({ "\($0)/errand/config" }), !path.isEmpty,
      named != nil || FileDescriptor.status(of: path) != nil
    else { return ConfigFile() }
    let data: Data
    do {
      data = try FileDescriptor.contents(of: path, limit: 1 << 20)
    } catch let error as FileError {
      throw CommandFailure(
        .localFile, "file", "the file of options: \(error)",
        hint: named == nil ? nil : "The variable ERRAND_CONFIG names it.")
    }
    var file = try ConfigFile(String(decoding: data, as: UTF8.self), path: path)
    // systemd protects its credentials by access control lists, which show as permissions of a group.
    let isCredential =
      environment["CREDENTIALS_DIRECTORY"].map { !$0.isEmpty && path.hasPrefix($0 + "/") } ?? false
    if file.hasSecret, !isCredential, let permissions = FileDescriptor.permissions(of: path),
      permissions & 0o077 != 0
    {
      file.warning = "other users can read the passwords in \(path); run chmod 600 on it"
    }
    return file
  }

  private var hasSecret: Bool {
    sections.flatMap(\.options).contains { given in
      switch given.option {
      case .user, .certificate: given.value.contains(":")
      case .bearer: !given.value.hasPrefix("@")
      case .proxyUser, .cookie: true
      default: given.isSecretField
      }
    }
  }

  /// Returns the name in the form in which it is compared: without brackets and the dot at its end.
  private static func comparable(_ host: String) -> String {
    var name = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    if name.hasSuffix("."), name.utf8.count > 1 { name.removeLast() }
    return HostName.canonical(name) ?? ASCII.lowercased(name)
  }

  /// Returns the options for a request to this URL. Of several log-ins, the last one counts.
  /// - Parameter isOfHost: True for the options of sections for some hosts only.
  func options(for url: String, isOfHost: Bool = false) -> [ScannedArguments.Given] {
    let host = Request.get(ValueParser.url(url)).url?.host().map(Self.comparable) ?? ""
    let options = sections.filter { section in
      if section.host == "*" { return !isOfHost }
      return section.host == host
        || (section.host.hasPrefix("*.") && host.hasSuffix(section.host.dropFirst()))
    }.flatMap(\.options)
    let last = options.lastIndex { $0.isLogin }
    let mayDigest = last.map { OptionSpec.passwords.contains(options[$0].option) } ?? true
    return options.enumerated().filter { index, given in
      given.isLogin ? index == last : given.option != .digest || mayDigest
    }.map(\.element)
  }

  /// The options for the connections to all hosts, which `errand outbox run` also takes.
  var connectionOptions: [ScannedArguments.Given] {
    sections.filter { $0.host == "*" }.flatMap(\.options).filter {
      $0.option == .timeout || OptionSpec.ways.contains($0.option)
    }
  }

  /// True if the file has options for some hosts only.
  var namesHosts: Bool { sections.contains { $0.host != "*" } }

  /// Returns the credentials for a host: `Authorization`, and secret header fields of `-H`. Those for all hosts are not
  /// among them, because the requests of an outbox may be for any server.
  func credentials(for url: URL) throws -> [HTTPFields.Field] {
    var given = try ScannedArguments([], for: .request)
    let options = options(for: url.absoluteString, isOfHost: true)
    // Digest must not become Basic, a password must not be asked for at each attempt, and nothing signs here.
    let cannotLogIn = self.options(for: url.absoluteString).contains {
      [.digest, .awsSigV4].contains($0.option) || $0.option == .user && !$0.value.contains(":")
    }
    given.takeDefaults(options.filter { $0.isCredential && !($0.isLogin && cannotLogIn) })
    var fields: [HTTPFields.Field] = []
    for text in given.values(.header) { fields.append(try ValueParser.field(text)) }
    let credentials = try CredentialArguments(given)
    if let value = try Login(credentials, at: url).authorization {
      fields.append(HTTPFields.Field("Authorization", value.text, isSecret: true))
    }
    return fields
  }
}

extension ScannedArguments.Given {
  /// True for an option whose value `errand outbox run` adds to stored requests.
  var isCredential: Bool { isLogin || isSecretField }

  fileprivate var isLogin: Bool { OptionSpec.logins.contains(option) }

  fileprivate var isSecretField: Bool {
    guard option == .header, let field = try? ValueParser.field(value) else { return false }
    return Secrets.standard.hides(field)
  }
}
