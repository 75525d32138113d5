/// The rules for the records of one content (RFC 8188, section 2): content, a padding delimiter, and zeros.
struct RecordLayout: Sendable {
  static let tagLength = 16
  /// The bytes of a record that are neither content nor padding.
  static let overhead = tagLength + 1

  enum Delimiter: UInt8 {
    case more = 1
    case last = 2
  }

  let recordSize: Int

  /// The number of bytes of content and padding that a record has room for.
  var capacity: Int { recordSize - Self.overhead }

  /// The number of records that may be encrypted with one key and salt: so many that there are less than
  /// 2^44.5 blocks of 16 bytes (RFC 8188, section 4.4).
  var maximumCount: UInt64 { 24_879_108_095_803 / UInt64((recordSize + 15) / 16) }

  /// Returns the number of bytes of content in a record that has content in every place it can: padding goes
  /// into the first records, but at least one byte of content goes with it.
  func contentCount(padding: Int) -> Int { capacity - min(padding, capacity - 1) }

  /// Returns how many records are full, and not the last, once there is so much content.
  func fullRecordCount(content: Int, padding: Int) -> Int {
    var (content, padding, count) = (content, padding, 0)
    while padding > 0, content > contentCount(padding: padding) {
      let taken = contentCount(padding: padding)
      (content, padding, count) = (content - taken, padding - (capacity - taken), count + 1)
    }
    return padding > 0 || content == 0 ? count : count + (content - 1) / capacity
  }

  /// Returns how much of a decrypted record is content, and its delimiter.
  /// - Returns: Nil if all of it is zero, or if the last byte that is not is no delimiter.
  static func content(of record: UnsafeRawBufferPointer) -> (count: Int, delimiter: Delimiter)? {
    guard let index = record.lastIndex(where: { $0 != 0 }), let delimiter = Delimiter(rawValue: record[index])
    else { return nil }
    return (index, delimiter)
  }
}
