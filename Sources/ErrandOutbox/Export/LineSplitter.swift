#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Splits bytes into lines. The bytes arrive in pieces that may be cut anywhere.
struct LineSplitter {
  /// The most bytes that are held for one line. Every exported line is shorter.
  static let longest = 64 << 20

  /// The beginning of an incomplete line.
  private var rest = Data()
  private let limit: Int

  init(limit: Int = Self.longest) { self.limit = limit }

  /// Returns the lines that end in this piece, without their line feeds.
  mutating func lines(in piece: Data) -> [Data] {
    var lines: [Data] = []
    var start = piece.startIndex
    while let end = Self.lineEnd(in: piece[start...]) {
      lines.append(rest + piece[start..<end])
      rest = Data()
      start = end + 1
    }
    rest += piece[start...]
    return lines
  }

  /// True if the incomplete line is longer than any exported line.
  var isOverfull: Bool { rest.count > limit }

  /// Returns the last line, if it has no line feed.
  mutating func finish() -> Data? {
    defer { rest = Data() }
    return rest.isEmpty ? nil : rest
  }

  private static func lineEnd(in data: Data) -> Data.Index? {
    data.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = memchr(base, 0x0A, bytes.count) else { return nil }
      return data.startIndex + (UnsafeRawPointer(found) - base)
    }
  }
}
