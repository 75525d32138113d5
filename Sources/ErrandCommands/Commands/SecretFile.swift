import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file with one secret in it, and perhaps a line break behind it.
enum SecretFile {
  private static let longest: Int64 = 64 << 10

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
    let file = try FileDescriptor(reading: path)
    guard try file.length() <= longest else { throw FileError(.read, path, "it is too long for \(what)") }
    guard let text = String(validating: try file.read(Int(file.length()), at: 0), as: UTF8.self) else {
      throw FileError(.read, path, "it is no text in UTF-8, as \(what) is")
    }
    // An editor ends a file with a line break.
    let last = text.utf8.lastIndex { $0 != 10 && $0 != 13 }.map { text.utf8.index(after: $0) }
    return String(text[..<(last ?? text.startIndex)])
  }
}
