import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file with one secret in it, and perhaps a line break behind it.
enum SecretFile {
  private static let longest = 64 << 10
  /// The contents of pipes, each of which can be read once, though two options may name it.
  private static let piped = Locked<[String: Data]>([:])

  static func token(in path: String) throws -> SecretText {
    try CredentialArguments.token(text(in: path, "a token"), "@\(path)")
  }

  static func password(in path: String) throws -> SecretText {
    let text = try text(in: path, "a password")
    guard !text.isEmpty, !text.utf8.contains(0) else {
      throw FileError(.read, path, "it is empty, or has NUL in it, which no password has")
    }
    return SecretText(text)
  }

  private static func text(in path: String, _ what: String) throws -> String {
    guard let text = String(validating: try contents(of: path), as: UTF8.self) else {
      throw FileError(.read, path, "it is no text in UTF-8, as \(what) is")
    }
    // Editors and `echo` end a text with a line break.
    let last = text.utf8.lastIndex { $0 != 10 && $0 != 13 }.map { text.utf8.index(after: $0) }
    return String(text[..<(last ?? text.startIndex)])
  }

  private static func contents(of path: String) throws -> Data {
    if let known = piped.withLock({ $0[path] }) { return known }
    let data = try FileDescriptor.contents(of: path, limit: longest)
    if case .special? = try? FilePlace(path) { piped.withLock { $0[path] = data } }
    if case .descriptor? = try? FilePlace(path) { piped.withLock { $0[path] = data } }
    return data
  }
}
