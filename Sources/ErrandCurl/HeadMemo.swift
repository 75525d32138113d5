import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The last head that a handle received, its lines, and the results of parsing them. The next head often
/// equals it, and most lines never change, so they are not parsed again.
struct HeadMemo {
  struct Line {
    let field: HTTPFields.Field
    let isContentEncoding: Bool
  }

  private struct Entry {
    var bytes: [UInt8] = []
    /// Nil for a line that is not a field.
    var line: Line?
  }

  /// The limits for the number of lines, the length of a line and the length of the head that are kept.
  private static let (mostLines, longestLine, longestHead) = (32, 512, 4096)

  private var entries: [Entry] = []
  private var head: [UInt8] = []
  /// The result of parsing `head`; nil if it was not kept.
  private var parsed: HeadParser?
  /// The framing of `head`; nil until a head was the same.
  private var framing: BodyFraming?

  /// Returns the result of parsing the last head if it had these bytes, or nil.
  func parsed(_ bytes: UnsafeRawBufferPointer) -> HeadParser? {
    guard parsed != nil, Self.areSame(head, bytes) else { return nil }
    return parsed
  }

  /// Returns the framing of a head. It is computed only for a head that differs from the last one.
  mutating func framing(of bytes: UnsafeRawBufferPointer) -> BodyFraming {
    guard parsed != nil, Self.areSame(head, bytes) else { return BodyFraming(head: bytes) }
    let framing = framing ?? BodyFraming(head: bytes)
    self.framing = framing
    return framing
  }

  /// Keeps a head, unless one of its fields is secret.
  mutating func note(_ parser: HeadParser, _ bytes: UnsafeRawBufferPointer) {
    head.removeAll(keepingCapacity: true)
    (parsed, framing) = (nil, nil)
    guard bytes.count <= Self.longestHead, !parser.hasSecrets else { return }
    parsed = parser
    head.append(contentsOf: bytes)
  }

  private static func areSame(_ kept: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard kept.count == bytes.count, let start = bytes.baseAddress else { return false }
    return memcmp(kept, start, bytes.count) == 0
  }

  /// Returns the result of parsing this line of the last head if it had these bytes, or nil.
  func line(_ number: Int, _ bytes: UnsafeRawBufferPointer) -> Line? {
    guard number < entries.count, Self.areSame(entries[number].bytes, bytes) else { return nil }
    return entries[number].line
  }

  /// Keeps a line, unless its field is secret.
  mutating func note(_ line: Line?, _ number: Int, _ bytes: UnsafeRawBufferPointer) {
    guard number < Self.mostLines else { return }
    while entries.count <= number { entries.append(Entry()) }
    guard let line, !line.field.isSecret, bytes.count <= Self.longestLine else {
      entries[number] = Entry()
      return
    }
    entries[number].line = line
    entries[number].bytes.removeAll(keepingCapacity: true)
    entries[number].bytes.append(contentsOf: bytes)
  }
}
