import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The lines of the last head that a handle has received, with their fields: most lines of the next head are the
/// same, and are not parsed again.
struct HeadMemo {
  struct Line {
    let field: HTTPFields.Field
    let kind: Kind
  }

  enum Kind {
    case contentEncoding
    /// A coding that was not asked for.
    case transferCoding
    case other
  }

  private struct Entry {
    var bytes: [UInt8] = []
    /// Nil for a line that is no field.
    var line: Line?
  }

  /// The most lines, and the longest one, that are kept for the handle's life.
  private static let (mostLines, longestLine) = (32, 512)

  private var entries: [Entry] = []

  /// Returns what these bytes were parsed to, if they were the same line of the last head.
  func line(_ number: Int, _ bytes: UnsafeRawBufferPointer) -> Line? {
    guard number < entries.count, entries[number].bytes.count == bytes.count, let start = bytes.baseAddress,
      memcmp(entries[number].bytes, start, bytes.count) == 0
    else { return nil }
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
