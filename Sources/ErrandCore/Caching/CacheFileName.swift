#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file names of a store on disk. All other files in the folder are left alone.
enum CacheFileName {
  static let salt = "salt"
  private static let response = ".answer"
  private static let part = ".part"

  static func of(_ key: CacheKey) -> String {
    let text = "\(key.name.utf8.count):\(key.name)\(key.partition)"
    return "\(SHA256Digest(hashing: Data(text.utf8)))" + response
  }

  /// Returns the name of a file that is still being written; `number` makes it unique.
  static func part(of name: String, number: UInt64) -> String { "\(name).\(number)" + part }

  static func isResponse(_ name: String) -> Bool {
    name.hasSuffix(response) && isDigest(name.dropLast(response.utf8.count))
  }

  static func isPart(_ name: String) -> Bool {
    guard name.hasSuffix(part), let dot = name.dropLast(part.utf8.count).lastIndex(of: ".") else {
      return false
    }
    let (whole, number) = (String(name[..<dot]), name[name.index(after: dot)...].dropLast(part.utf8.count))
    return UInt64(number) != nil && (whole == salt || isResponse(whole))
  }

  private static func isDigest(_ text: Substring) -> Bool {
    text.utf8.count == 2 * SHA256Digest.byteCount
      && text.utf8.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
  }
}
