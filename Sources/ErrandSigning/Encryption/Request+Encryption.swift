public import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Request {
  /// Encrypts the request's body with `Content-Encoding: aes128gcm` (RFC 8188), with a fresh salt for each
  /// attempt. A request that is `compressed()` is compressed first. Digests and signatures cover the
  /// encrypted bytes. Header fields are not encrypted.
  ///
  /// If the body is a file that changes between its signature and its sending, it is not sent.
  /// - Parameters:
  ///   - key: The key, which the recipient also has.
  ///   - recordSize: The number of bytes of each encrypted record, from 18 bytes to 1 GiB.
  ///   - padding: Zeros that hide how long the body is.
  public func encrypted(
    with key: ContentKey, recordSize: Int = 4096, padding: RecordPadding = .none
  ) -> Request {
    coded(in: EncryptedBodyCoding(key: key, recordSize: recordSize, padding: padding))
  }

  /// Decrypts responses with the content coding `aes128gcm` (RFC 8188), before they are decompressed and
  /// checked. A body that was changed, cut off, re-ordered or encrypted with another key fails with
  /// `RequestError(.decryptionFailed)`. A record is passed on only after it was verified, but a stream may
  /// deliver whole records before it ends with the error. The cache holds responses decrypted.
  ///
  /// Responses without content (to HEAD; 204, 304) are not encrypted, and rejected responses stay as they
  /// are. The download of an encrypted file cannot be resumed.
  /// - Parameters:
  ///   - keys: Finds the key that a response names. Errand does not read the response any further meanwhile.
  ///   - isRequired: True, the default, if an unencrypted response fails.
  ///   - maximumRecordSize: The largest records that are accepted, in bytes. At most this much is held in
  ///     memory. Default: 1 MiB.
  public func decrypting(
    with keys: any ContentKeyProvider, isRequired: Bool = true,
    maximumRecordSize: Int = 1 << 20
  ) -> Request {
    filtered(
      by: DecryptionFilter(keys: keys, isRequired: isRequired, maximumRecordSize: maximumRecordSize))
  }

  /// Decrypts responses with one key, like `decrypting(with:isRequired:maximumRecordSize:)`.
  public func decrypting(with key: ContentKey, isRequired: Bool = true) -> Request {
    decrypting(with: ContentKeys([key]), isRequired: isRequired)
  }
}

/// The content coding `aes128gcm` of requests.
struct EncryptedBodyCoding: BodyCoding {
  static let name = "aes128gcm"

  let key: ContentKey
  let recordSize: Int
  let padding: RecordPadding

  var name: String { Self.name }
  /// Requests that are encrypted with the same key may be shared.
  var identity: String { "aes128gcm \(key.fingerprint)" }

  func begin() throws -> any BodyCodingAttempt {
    EncryptedBody(coding: self, salt: .random(EncryptionHeader.saltLength))
  }
}

/// One attempt's encryption. Each reading of a body gives the same bytes, because the salt is the same. A
/// body that changed during an attempt is never sent, because two bodies with one salt would reveal each
/// other.
struct EncryptedBody: BodyCodingAttempt {
  let coding: EncryptedBodyCoding
  let salt: Data

  func codedLength(of length: Int64) -> Int64? {
    // The smallest record has one byte of content and 17 others. Files are too short to make this overflow.
    guard case .bytes(0) = coding.padding.amount, 0...Int64.max / 32 ~= length,
      coding.recordSize >= EncryptionHeader.minimumRecordSize
    else { return nil }
    let capacity = Int64(coding.recordSize - RecordLayout.overhead)
    let records = max(1, (length - 1) / capacity + 1)
    return length + records * Int64(RecordLayout.overhead)
      + Int64(EncryptionHeader.fixedLength + coding.key.id.count)
  }

  func makeEncoder() throws -> any BodyEncoder { try EncryptingEncoder(self) }
}

private final class EncryptingEncoder: BodyEncoder {
  private var encoder: AES128GCMEncoder

  init(_ body: EncryptedBody) throws {
    do throws(SigningError) {
      encoder = try AES128GCMEncoder(
        key: body.coding.key, recordSize: body.coding.recordSize, padding: body.coding.padding,
        salt: body.salt)
    } catch {
      throw RequestError(.invalidRequest, message: "\(error)", reachedServer: false, underlying: error)
    }
  }

  func update(_ piece: Data) throws -> Data {
    try failing { () throws(SigningError) in try encoder.update(piece) }
  }

  func finish() throws -> Data { try failing { () throws(SigningError) in try encoder.finish() } }

  private func failing(_ encode: () throws(SigningError) -> Data) throws(RequestError) -> Data {
    do {
      return try encode()
    } catch {
      throw RequestError(.bodyFailed, message: "\(error)", reachedServer: true, underlying: error)
    }
  }
}
