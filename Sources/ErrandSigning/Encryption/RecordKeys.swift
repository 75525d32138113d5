#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The content-encryption key and the nonces of one content (RFC 8188, sections 2.2 and 2.3).
struct RecordKeys {
  static let keyLength = 16
  static let nonceLength = 12

  let key: SecretBytes
  /// The first record's nonce: its first 32 bits and the other 64.
  private let prefix: UInt32
  private let mask: UInt64

  init(_ key: ContentKey, salt: Data) {
    let extracted = HMACSHA256.code(key: salt, data: key.secret)
    func expanded(_ info: String) -> SecretBytes {
      HMACSHA256.code(key: extracted, data: Data(info.utf8) + [0, 1])
    }
    self.key = expanded("Content-Encoding: aes128gcm").withUnsafeBytes {
      SecretBytes(UnsafeRawBufferPointer(rebasing: $0.prefix(Self.keyLength)))
    }
    (prefix, mask) = expanded("Content-Encoding: nonce").withUnsafeBytes {
      ($0.loadUnaligned(as: UInt32.self), $0.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
    }
  }

  /// Calls `body` with a record's nonce: the first record's nonce, exclusive-or the record's number. The
  /// number's first 32 bits are zero.
  func withNonce<Result>(_ number: UInt64, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeTemporaryAllocation(byteCount: Self.nonceLength, alignment: 4) { nonce in
      nonce.storeBytes(of: prefix, as: UInt32.self)
      nonce.storeBytes(of: mask ^ number.bigEndian, toByteOffset: 4, as: UInt64.self)
      return body(UnsafeRawBufferPointer(nonce))
    }
  }
}
