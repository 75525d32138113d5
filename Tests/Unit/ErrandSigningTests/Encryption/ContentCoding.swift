import Foundation

@_spi(Benchmarks) @testable import ErrandSigning

/// Encrypts and decrypts complete contents, for tests.
enum ContentCoding {
  static func encrypt(
    _ pieces: [Data], _ key: ContentKey, recordSize: Int = 4096, padding: RecordPadding = .none,
    salt: Data = Data(count: 16), maximumCount: UInt64? = nil
  ) throws(SigningError) -> Data {
    var encoder = try AES128GCMEncoder(
      key: key, recordSize: recordSize, padding: padding, salt: salt, maximumCount: maximumCount)
    var output = Data()
    for piece in pieces { output += try encoder.update(piece) }
    return output + (try encoder.finish())
  }

  static func decrypt(
    _ pieces: [Data], _ key: ContentKey, maximumRecordSize: Int = 1 << 20, maximumCount: UInt64 = .max
  ) throws(SigningError) -> Data {
    var decoder = AES128GCMDecoder(maximumRecordSize: maximumRecordSize, maximumCount: maximumCount)
    var output = Data()
    for piece in pieces {
      output += try decoder.update(piece)
      if let id = decoder.neededKeyID { output += try decoder.use(ContentKeys([key]).contentKey(for: id)) }
    }
    return output + (try decoder.finish())
  }

  /// Returns why content is refused; nil if it is not.
  static func refusal(of content: Data, _ key: ContentKey, maximumRecordSize: Int = 1 << 20)
    -> SigningError.Code?
  {
    do {
      _ = try decrypt([content], key, maximumRecordSize: maximumRecordSize)
      return nil
    } catch {
      return error.code
    }
  }

  /// Encrypts the given records: with any delimiters, lengths and order.
  static func encrypt(records: [Data], _ key: ContentKey, recordSize: Int) -> Data {
    let header = EncryptionHeader(salt: Data(count: 16), recordSize: recordSize, keyID: key.id)
    let cipher = RecordCipher(RecordKeys(key, salt: header.salt), encrypts: true)
    var output = header.bytes
    for (number, record) in records.enumerated() {
      var sealed = record + Data(count: RecordLayout.tagLength)
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      sealed.withUnsafeMutableBytes { cipher.seal(none, none, $0, number: UInt64(number)) }
      output += sealed
    }
    return output
  }
}
