import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file with a user's passwords for hosts, in the format of `ftp` and `curl`.
enum NetrcFile {
  private static let longest = 1 << 20

  /// Returns the user and the password for a host, from the file that `NETRC` names, else from `~/.netrc`.
  /// - Parameter user: The user whose password is needed; nil for the host's first entry.
  /// - Throws: `FileError` if the file cannot be read or other users can read it. `UsageError` if it has no
  ///   password for the host and user.
  static func login(
    for host: String, user: String? = nil, _ environment: [String: String]
  ) throws -> (String, SecretText) {
    let path = try path(environment)
    if let permissions = FileDescriptor.permissions(of: path), permissions & 0o077 != 0 {
      throw FileError(.read, path, "other users can read the passwords in it; run chmod 600 on it")
    }
    let data = try FileDescriptor.contents(of: path, limit: longest)
    guard let text = String(validating: data, as: UTF8.self) else {
      throw FileError(.read, path, "it is not UTF-8 text")
    }
    let netrc: Netrc
    do {
      netrc = try Netrc(text)
    } catch {
      throw FileError(.read, path, "line \(error.line) is invalid: \(error.reason)")
    }
    guard let entry = netrc.entry(for: host, user: user), let login = entry.user,
      let password = entry.password
    else {
      // The message does not show the URL's user, because it may be a token.
      throw UsageError(
        user == nil
          ? "\(path) has no login and password for \(host)"
          : "\(path) has no password for the URL's user at \(host)",
        hint: "Add a line such as: machine \(host) login ann password ...")
    }
    return (login, password)
  }

  private static func path(_ environment: [String: String]) throws(UsageError) -> String {
    if let path = environment["NETRC"], !path.isEmpty { return path }
    guard let home = environment["HOME"], !home.isEmpty else {
      throw UsageError(
        "--netrc cannot find ~/.netrc, because HOME is not set", hint: "Set HOME, or name a file in NETRC.")
    }
    return "\(home)/.netrc"
  }
}

/// A parsed netrc file. Each entry is `machine` or `default`, followed by `login`, `password` and `account` in any
/// order. Macros (`macdef`) are skipped. A word in double quotes may contain spaces.
struct Netrc: Sendable {
  struct Entry: Sendable, Hashable {
    /// The host; nil for the `default` entry, which applies to hosts without an entry.
    let host: String?
    var user: String?
    var password: SecretText?
  }

  struct Fault: Error, Sendable, Hashable {
    let line: Int
    let reason: String
  }

  private(set) var entries: [Entry] = []

  init(_ text: String) throws(Fault) {
    var words = try Self.words(in: text)[...]
    while let word = words.popFirst() {
      func value() throws(Fault) -> String {
        guard let value = words.popFirst() else {
          throw Fault(line: word.line, reason: "a value is missing after the last word")
        }
        return value.text
      }
      switch word.text {
      case "machine": entries.append(Entry(host: ASCII.lowercased(try value())))
      case "default": entries.append(Entry(host: nil))
      case "login", "password", "account":
        guard var entry = entries.popLast() else {
          throw Fault(line: word.line, reason: "an entry must begin with machine or default")
        }
        let value = try value()
        if word.text == "login" { entry.user = value }
        if word.text == "password" { entry.password = SecretText(value) }
        entries.append(entry)
      // The message does not quote the word, because it may be a part of a password.
      default: throw Fault(line: word.line, reason: "it has another word where login or password is expected")
      }
    }
  }

  /// Returns the host's first entry, or else the first `default` entry.
  /// - Parameter user: The user that the entry must have; nil for any.
  func entry(for host: String, user: String? = nil) -> Entry? {
    func canonical(_ host: String) -> String { HostName.canonical(host) ?? ASCII.lowercased(host) }
    let host = canonical(host)
    let entries = entries.filter { entry in
      // Strings that look the same may differ in bytes, and may be two users.
      user.map { user in entry.user.map { ASCII.areSame($0, user) } ?? false } ?? true
    }
    return entries.first { $0.host.map(canonical) == host } ?? entries.first { $0.host == nil }
  }

  private struct Word {
    let text: String
    let line: Int
  }

  private static func words(in text: String) throws(Fault) -> [Word] {
    var words: [Word] = []
    var isInMacro = false
    let lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      // A macro ends with an empty line.
      if isInMacro {
        isInMacro = !line.allSatisfy { $0 == 13 }
        continue
      }
      var rest = Array(line)[...]
      while let word = try nextWord(&rest, line: number + 1) {
        if word.text == "macdef", !word.isQuoted {
          isInMacro = true
          break
        }
        words.append(Word(text: word.text, line: number + 1))
      }
    }
    return words
  }

  private static func nextWord(_ rest: inout ArraySlice<UInt8>, line: Int) throws(Fault)
    -> (text: String, isQuoted: Bool)?
  {
    rest = rest.drop { $0 == 32 || $0 == 9 || $0 == 13 }
    guard let first = rest.first, first != UInt8(ascii: "#") else { return nil }
    guard first == UInt8(ascii: "\"") else {
      let word = rest.prefix { $0 != 32 && $0 != 9 && $0 != 13 }
      rest = rest.dropFirst(word.count)
      return (String(decoding: word, as: UTF8.self), false)
    }
    rest = rest.dropFirst()
    var word: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return (String(decoding: word, as: UTF8.self), true) }
      guard byte == UInt8(ascii: "\\") else {
        word.append(byte)
        continue
      }
      guard let escaped = rest.popFirst() else { break }
      word.append(escaped)
    }
    throw Fault(line: line, reason: "a quoted word has no closing quote")
  }
}
