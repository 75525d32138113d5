#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the files of a store on disk are called. Whatever else is in the folder is left alone.
enum AnswerFileName {
  static let salt = "salt"
  private static let answer = ".answer"
  private static let part = ".part"

  static func of(_ key: AnswerKey) -> String {
    let text = "\(key.name.utf8.count):\(key.name)\(key.partition)"
    return "\(SHA256Digest(hashing: Data(text.utf8)))" + answer
  }

  /// For a file that is still being written; `number` tells it from others of its kind.
  static func part(of name: String, number: UInt64) -> String { "\(name).\(number)" + part }

  static func isAnswer(_ name: String) -> Bool {
    name.hasSuffix(answer) && isDigest(name.dropLast(answer.utf8.count))
  }

  static func isPart(_ name: String) -> Bool {
    guard name.hasSuffix(part), let dot = name.dropLast(part.utf8.count).lastIndex(of: ".") else {
      return false
    }
    let (whole, number) = (String(name[..<dot]), name[name.index(after: dot)...].dropLast(part.utf8.count))
    return UInt64(number) != nil && (whole == salt || isAnswer(whole))
  }

  private static func isDigest(_ text: Substring) -> Bool {
    text.utf8.count == 2 * SHA256Digest.byteCount
      && text.utf8.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
  }
}
