import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The last head that a handle has received, and its lines, with what they were parsed to: within a second the next head
/// is often the same, and most of its lines are the same for ever. They are not parsed again.
struct HeadMemo {
  struct Line {
    let field: HTTPFields.Field
    let isContentEncoding: Bool
  }

  private struct Entry {
    var bytes: [UInt8] = []
    /// Nil for a line that is no field.
    var line: Line?
  }

  /// The most lines, the longest one and the longest head that are kept for the handle's life.
  private static let (mostLines, longestLine, longestHead) = (32, 512, 4096)

  private var entries: [Entry] = []
  private var head: [UInt8] = []
  /// What `head` was parsed to; nil if it is not kept.
  private var parsed: HeadParser?

  /// Returns what the last head was parsed to, if it had these bytes.
  func parsed(_ bytes: UnsafeRawBufferPointer) -> HeadParser? {
    guard parsed != nil, Self.areSame(head, bytes) else { return nil }
    return parsed
  }

  /// Keeps a head, unless one of its fields is secret.
  mutating func note(_ parser: HeadParser, _ bytes: UnsafeRawBufferPointer) {
    head.removeAll(keepingCapacity: true)
    parsed = nil
    guard bytes.count <= Self.longestHead, !parser.hasSecrets else { return }
    parsed = parser
    head.append(contentsOf: bytes)
  }

  private static func areSame(_ kept: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard kept.count == bytes.count, let start = bytes.baseAddress else { return false }
    return memcmp(kept, start, bytes.count) == 0
  }

  /// Returns what these bytes were parsed to, if they were the same line of the last head.
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
