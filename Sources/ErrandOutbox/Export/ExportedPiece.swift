#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Bytes of a body, as they are exported: in base64.
struct ExportedPiece: Sendable, Hashable, Codable {
  /// The request's id.
  var of: String
  /// Which segment of the body they belong to, from 0; after those that came before.
  var segment: Int
  var bytes: Data

  /// So many bytes at most are in one line: neither side ever holds more of a large file. Without a rest in base64.
  static let longest = 192 << 10
}
