#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Exported bytes of a body, in base64.
struct ExportedPiece: Sendable, Hashable, Codable {
  /// The request's id.
  var of: String
  /// The index of the segment that the bytes belong to, from 0. They follow those of the lines before.
  var segment: Int
  var bytes: Data

  /// The most bytes in one line: neither side holds more of a large file in memory. A multiple of 3, so that
  /// base64 needs no padding.
  static let longest = 192 << 10
}
