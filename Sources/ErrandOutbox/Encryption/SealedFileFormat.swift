import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The layout of an encrypted file: a head, and then chunks. Each chunk is encrypted separately, so that the
/// file can be decrypted while it is sent.
///
/// | bytes | |
/// |---|---|
/// | 4 | `ERSF` |
/// | 1 | version |
/// | 8 | fingerprint of the key |
/// | 12 | nonce |
/// | 32 + 16 | the file's key, encrypted with the outbox's key |
/// | 65,536 + 16 | a chunk, encrypted with the file's key; the last one is shorter or as long |
///
/// A chunk's nonce is its index: the file's key is used for nothing else. The index is authenticated, and so
/// is whether the chunk is the last one. Therefore a file that was truncated, reordered or assembled from
/// others does not decrypt.
enum SealedFileFormat {
  static let chunkLength = 64 << 10
  static let headLength =
    5 + OutboxKey.fingerprintLength + AESGCM.nonceLength + OutboxKey.byteCount + tagLength
  private static let tagLength = AESGCM.tagLength
  private static let start = Data("ERSF".utf8) + [1]

  /// Returns the length of the encrypted file for this many bytes.
  static func sealedLength(of length: Int64) -> Int64 {
    Int64(headLength) + length + chunkCount(of: length) * Int64(tagLength)
  }

  /// Returns the number of bytes in an encrypted file of this length.
  static func plainLength(of sealed: Int64) -> Int64 {
    let chunk = Int64(chunkLength + tagLength)
    let chunks = sealed - Int64(headLength)
    return chunks - (chunks + chunk - 1) / chunk * Int64(tagLength)
  }

  /// Returns the number of chunks: at least one, because even an empty file has a last chunk.
  static func chunkCount(of length: Int64) -> Int64 {
    max(1, (length + Int64(chunkLength) - 1) / Int64(chunkLength))
  }

  /// Returns the offset and the length of a chunk.
  static func chunk(_ index: Int64, ofFileOf length: Int64) -> (offset: Int64, length: Int) {
    let offset = Int64(headLength) + index * Int64(chunkLength + tagLength)
    let rest = length - index * Int64(chunkLength)
    return (offset, Int(min(rest, Int64(chunkLength))) + tagLength)
  }

  static func head(for fileKey: OutboxKey, sealedWith key: OutboxKey, as part: SealedPart) -> Data {
    start + key.fingerprint + AESGCM.seal(fileKey.data, with: key.data, authenticating: part.context + start)
  }

  static func fileKey(in head: Data, opening seal: ContentSeal, as part: SealedPart) throws(OutboxError)
    -> OutboxKey
  {
    guard head.count == headLength, head.starts(with: start) else { throw ContentSeal.damaged(part) }
    let rest = head.dropFirst(start.count)
    let key = try seal.key(for: rest.prefix(OutboxKey.fingerprintLength), part)
    guard
      let fileKey = AESGCM.open(
        rest.dropFirst(OutboxKey.fingerprintLength), with: key.data, authenticating: part.context + start)
    else { throw ContentSeal.damaged(part) }
    return try OutboxKey(fileKey)
  }

  static func seal(_ chunk: Data, _ index: Int64, isLast: Bool, with fileKey: OutboxKey) -> Data {
    AESGCM.seal(chunk, with: fileKey.data, nonce: nonce(index), authenticating: context(index, isLast))
  }

  static func open(_ chunk: Data, _ index: Int64, isLast: Bool, with fileKey: OutboxKey) -> Data? {
    AESGCM.open(chunk, with: fileKey.data, nonce: nonce(index), authenticating: context(index, isLast))
  }

  private static func nonce(_ index: Int64) -> Data { Data(count: 4) + bytes(index) }

  private static func context(_ index: Int64, _ isLast: Bool) -> Data { bytes(index) + [isLast ? 1 : 0] }

  private static func bytes(_ number: Int64) -> Data {
    Data(stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) })
  }
}
