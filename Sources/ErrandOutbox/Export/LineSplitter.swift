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

/// Puts lines together from bytes that come in pieces, cut anywhere.
struct LineSplitter {
  /// No line that was exported is as long. More is not held for one.
  static let longest = 64 << 20

  /// The beginning of a line.
  private var rest = Data()
  private let limit: Int

  init(limit: Int = Self.longest) { self.limit = limit }

  /// The lines that end in this piece, without their ends.
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

  /// True if a line is longer than any that was exported.
  var isOverfull: Bool { rest.count > limit }

  /// The last line, if it has no end.
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
