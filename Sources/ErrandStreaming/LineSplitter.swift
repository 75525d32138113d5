#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Splits bytes into lines, which end with LF, CR or CRLF, or with one certain byte. The bytes may be divided anywhere.
/// Pure; it takes time in proportion to the number of bytes.
struct LineSplitter: Sendable {
  /// A line is longer than the limit.
  struct TooLong: Error {
    let limit: Int
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// The maximum length of a line, in bytes.
  private let limit: Int
  /// The byte that ends a line; nil for LF, CR and CRLF.
  private let end: UInt8?
  /// The beginning of a line whose end has not come yet.
  private var partial = Data()
  /// True if the last byte was a CR, so that a following LF belongs to the same line end.
  private var endedWithReturn = false

  /// - Parameters:
  ///   - limit: The maximum length of a line, in bytes.
  ///   - end: The byte that ends a line. Default: nil for LF, CR and CRLF.
  init(limit: Int, endingWith end: UInt8? = nil) {
    self.limit = limit
    self.end = end
  }

  /// Calls `line` with each line that ends in these bytes, without its line end.
  mutating func split(_ bytes: Data, _ line: (Data) throws -> Void) throws {
    var start = bytes.startIndex
    if endedWithReturn, let first = bytes.first {
      endedWithReturn = false
      if first == Self.lineFeed { start += 1 }
    }
    while let end = lineEnd(in: bytes, from: start) {
      let rest = bytes[start..<end]
      guard rest.count <= limit - partial.count else { throw TooLong(limit: limit) }
      if partial.isEmpty {
        try line(rest)
      } else {
        partial.append(rest)
        let whole = partial
        partial = Data()
        try line(whole)
      }
      start = end + 1
      guard self.end == nil, bytes[end] == Self.carriageReturn else { continue }
      if start == bytes.endIndex {
        endedWithReturn = true
      } else if bytes[start] == Self.lineFeed {
        start += 1
      }
    }
    let rest = bytes[start...]
    guard rest.count <= limit - partial.count else { throw TooLong(limit: limit) }
    partial.append(rest)
  }

  /// Returns the index of the first byte from `start` on that ends a line.
  private func lineEnd(in bytes: Data, from start: Int) -> Int? {
    let (one, other) = (end ?? Self.lineFeed, end ?? Self.carriageReturn)
    return bytes.withUnsafeBytes { raw in
      var offset = start - bytes.startIndex
      while offset < raw.count {
        if raw[offset] == one || raw[offset] == other { return bytes.startIndex + offset }
        offset += 1
      }
      return nil
    }
  }

  /// Returns the bytes after the last line end; nil if there are none.
  mutating func rest() -> Data? {
    defer { partial = Data() }
    return partial.isEmpty ? nil : partial
  }
}

extension Data {
  /// The byte order mark of UTF-8, which a text may begin with.
  static let byteOrderMark = Data([0xEF, 0xBB, 0xBF])

  /// The bytes after a byte order mark; all bytes without one.
  var withoutByteOrderMark: Data {
    starts(with: Self.byteOrderMark) ? dropFirst(Self.byteOrderMark.count) : self
  }
}
