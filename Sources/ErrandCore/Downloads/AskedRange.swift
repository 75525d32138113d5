/// The single range that a caller's own `Range` asks for: `bytes=a-b` or `bytes=a-`. Pure.
struct AskedRange: Sendable, Hashable {
  private let start: Int64
  /// The offset of the last byte; nil for the end of the file.
  private let last: Int64?

  /// Returns nil if the request asks for several ranges, for a suffix of the file, or for something no server
  /// understands.
  init?(_ fields: HTTPFields) {
    let values = fields.values(of: "Range")
    guard values.count == 1 else { return nil }
    let sides = ASCII.trimmed(values[0]).split(separator: "=", omittingEmptySubsequences: false)
    guard sides.count == 2, ASCII.equalIgnoringCase(ASCII.trimmed(sides[0]), "bytes") else { return nil }
    let ends = ASCII.trimmed(sides[1]).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let start = ASCII.wholeNumber(ends[0]) else { return nil }
    let last = ASCII.wholeNumber(ends[1])
    guard last != nil || ends[1].isEmpty else { return nil }
    self.start = start
    self.last = last
  }

  /// Returns true for a range that begins at the requested offset, and is no longer. A shorter file may end
  /// before.
  func covers(_ range: ContentRange?) -> Bool {
    guard let range, range.start == start else { return false }
    return range.end - 1 <= last ?? .max
  }
}
