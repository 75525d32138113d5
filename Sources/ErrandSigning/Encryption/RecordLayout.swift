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

  /// The number of records that may be encrypted with one key and salt. They have fewer than 2^44.5 blocks of
  /// 16 bytes (RFC 8188, section 4.4).
  var maximumCount: UInt64 { 24_879_108_095_803 / UInt64((recordSize + 15) / 16) }

  /// Returns the most content that a record holds beside this much padding. Padding goes into the first
  /// records, but each of them also has at least one byte of content.
  func contentCount(padding: Int) -> Int { capacity - min(padding, capacity - 1) }

  /// Returns the number of records that are full and not the last, given this much content and padding.
  func fullRecordCount(content: Int, padding: Int) -> Int {
    var (content, padding, count) = (content, padding, 0)
    while padding > 0, content > contentCount(padding: padding) {
      let taken = contentCount(padding: padding)
      (content, padding, count) = (content - taken, padding - (capacity - taken), count + 1)
    }
    return padding > 0 || content == 0 ? count : count + (content - 1) / capacity
  }

  /// Returns how much of a decrypted record is content, and its delimiter.
  /// - Returns: Nil if all bytes are zero, or if the last byte that is not zero is not a delimiter.
  static func content(of record: UnsafeRawBufferPointer) -> (count: Int, delimiter: Delimiter)? {
    guard let index = record.lastIndex(where: { $0 != 0 }), let delimiter = Delimiter(rawValue: record[index])
    else { return nil }
    return (index, delimiter)
  }
}
