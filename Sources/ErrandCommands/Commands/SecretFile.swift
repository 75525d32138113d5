import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file with one secret, and perhaps a line break at its end.
enum SecretFile {
  private static let longest = 64 << 10
  /// The contents of pipes by path. A pipe can be read only once, but two options may name it.
  private static let piped = Locked<[String: Data]>([:])

  static func token(in path: String) throws -> SecretText {
    try CredentialArguments.token(text(in: path, "a token"), "@\(path)")
  }

  static func password(in path: String) throws -> SecretText {
    let text = try text(in: path, "a password")
    guard !text.isEmpty, !text.utf8.contains(0) else {
      throw FileError(.read, path, "it is empty or contains NUL, so it is not a password")
    }
    return SecretText(text)
  }

  static func text(in path: String, _ what: String) throws -> String {
    guard let text = String(validating: try contents(of: path), as: UTF8.self) else {
      throw FileError(.read, path, "it is not UTF-8 text, so it is not \(what)")
    }
    // Editors and `echo` add a line break.
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
