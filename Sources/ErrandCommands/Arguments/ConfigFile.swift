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
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      do throws(UsageError) {
        try take(ASCII.trimmed(line))
      } catch {
        throw UsageError("\(path), line \(index + 1): \(error.message)", hint: error.hint)
      }
    }
  }

  private mutating func take(_ line: String) throws(UsageError) {
    if line.isEmpty || line.hasPrefix("#") { return }
    if line.hasPrefix("["), line.hasSuffix("]") {
      let host = ASCII.trimmed(line.dropFirst().dropLast())
      guard !host.isEmpty, !host.contains(where: { "/@ ".contains($0) }) else {
        throw UsageError("a section is the name of a host", hint: "For example: [api.example.com]")
      }
      sections.append(Section(host: ASCII.lowercased(host)))
      return
    }
    let scanned = try ScannedArguments(try Self.words(line), for: .request)
    guard scanned.operands.isEmpty else {
      throw UsageError("\(scanned.operands[0].quotedWithoutSecrets) is not an option")
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
    let isCredential = environment["CREDENTIALS_DIRECTORY"].map { path.hasPrefix($0 + "/") } ?? false
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

  /// Returns the options for a request to this URL.
  func options(for url: String) -> [ScannedArguments.Given] {
    let host = Request.get(ValueParser.url(url)).url?.host().map(ASCII.lowercased) ?? ""
    return sections.filter { section in
      section.host == "*" || section.host == host
        || (section.host.hasPrefix("*.") && host.hasSuffix(section.host.dropFirst()))
    }.flatMap(\.options)
  }

  /// The options for the connections to all hosts, which `errand outbox run` also takes.
  var connectionOptions: [ScannedArguments.Given] {
    sections.filter { $0.host == "*" }.flatMap(\.options).filter {
      $0.option == .timeout || OptionSpec.ways.contains($0.option)
    }
  }

  /// Returns the credentials among these options: `Authorization`, and secret header fields of `-H`.
  func credentials(for url: URL) throws -> [HTTPFields.Field] {
    var given = try ScannedArguments([], for: .request)
    given.takeDefaults(options(for: url.absoluteString).filter(\.isCredential))
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
  var isCredential: Bool {
    switch option {
    // Without a password, it would be asked for at each attempt.
    case .user: value.contains(":")
    case .bearer, .netrc: true
    default: isSecretField
    }
  }

  fileprivate var isSecretField: Bool {
    guard option == .header, let field = try? ValueParser.field(value) else { return false }
    return Secrets.standard.hides(field)
  }
}
