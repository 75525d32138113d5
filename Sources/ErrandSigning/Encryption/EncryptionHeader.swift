#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The header of content that is encrypted with `aes128gcm` (RFC 8188, section 2.1):
///
/// | bytes | |
/// |---|---|
/// | 16 | salt |
/// | 4 | record size |
/// | 1 | length of the key's name |
/// | … | the key's name |
package struct EncryptionHeader: Sendable, Hashable {
  /// The smallest record: a byte of content, the padding delimiter and the tag.
  package static let minimumRecordSize = 18
  /// The largest record that Errand writes or reads: 1 GiB. The coding itself allows 4 GiB.
  package static let maximumRecordSize = 1 << 30

  static let saltLength = 16
  static let maximumIDLength = 255
  /// The length of the header without the key's name.
  static let fixedLength = saltLength + 4 + 1

  /// 16 bytes that differ for each content.
  package let salt: Data
  /// The number of bytes of each record. Only the last may be shorter.
  package let recordSize: Int
  /// The name of the key: at most 255 bytes.
  package let keyID: Data

  init(salt: Data, recordSize: Int, keyID: Data) {
    precondition(salt.count == Self.saltLength && keyID.count <= Self.maximumIDLength)
    (self.salt, self.recordSize, self.keyID) = (salt, recordSize, keyID)
  }

  var bytes: Data {
    let size = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: recordSize >> $0) }
    return salt + size + [UInt8(keyID.count)] + keyID
  }

  /// Returns the length of the header as far as its beginning shows it: without the key's name until that
  /// length was read.
  static func length(from start: some Collection<UInt8>) -> Int {
    guard start.count >= fixedLength else { return fixedLength }
    return fixedLength + Int(start[start.index(start.startIndex, offsetBy: fixedLength - 1)])
  }

  /// Reads a whole header, which has the length that `length(from:)` returned.
  /// - Throws: `.malformed` if the record size is less than 18; `.recordTooLarge` if it is above the
  ///   maximum.
  init(_ bytes: [UInt8], maximumRecordSize: Int) throws(SigningError) {
    precondition(bytes.count == Self.length(from: bytes))
    let size = bytes[Self.saltLength..<Self.saltLength + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard size >= Self.minimumRecordSize else {
      throw SigningError(
        .malformed,
        "the encrypted content says that its records have \(size) bytes, but the minimum is \(Self.minimumRecordSize); "
          + "check that it is encoded with aes128gcm")
    }
    guard size <= maximumRecordSize else {
      throw SigningError(
        .recordTooLarge,
        "the encrypted content has records of \(size) bytes, but at most \(maximumRecordSize) are accepted; have "
          + "the sender make smaller ones, or raise maximumRecordSize")
    }
    self.init(
      salt: Data(bytes.prefix(Self.saltLength)), recordSize: Int(size),
      keyID: Data(bytes[Self.fixedLength...]))
  }
}
