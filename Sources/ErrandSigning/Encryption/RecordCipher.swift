#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// AES-128-GCM (NIST SP 800-38D) for the records of one content, without additional data. The key is set
/// once, and records allocate no memory.
final class RecordCipher: Sendable {
  private let keys: RecordKeys

  #if canImport(CryptoKit)
    private let key: SymmetricKey

    init(_ keys: RecordKeys, encrypts: Bool) {
      self.keys = keys
      key = SymmetricKey(data: keys.key)
    }

    /// Encrypts a record.
    /// - Parameters:
    ///   - first: The beginning of the plaintext.
    ///   - second: The plaintext after `first`.
    ///   - record: Memory for the ciphertext and the tag. It holds the end of the plaintext already.
    func seal(
      _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
      _ record: UnsafeMutableRawBufferPointer,
      number: UInt64
    ) {
      let count = record.count - RecordLayout.tagLength
      record.copyBytes(from: first)
      UnsafeMutableRawBufferPointer(rebasing: record.dropFirst(first.count)).copyBytes(from: second)
      let plain = UnsafeRawBufferPointer(rebasing: record.prefix(count))
      guard let box = try? AES.GCM.seal(plain, using: key, nonce: nonce(number)) else {
        preconditionFailure("CryptoKit cannot encrypt")
      }
      record.copyBytes(from: box.ciphertext)
      UnsafeMutableRawBufferPointer(rebasing: record.dropFirst(count)).copyBytes(from: box.tag)
    }

    /// Decrypts a record.
    /// - Parameter plain: Memory for the record without its tag. Its contents are meaningless if this returns
    ///   false.
    /// - Returns: False if a single bit of the record, its place or the key is wrong.
    func open(_ record: UnsafeRawBufferPointer, number: UInt64, into plain: UnsafeMutableRawPointer) -> Bool {
      let count = record.count - RecordLayout.tagLength
      guard
        let box = try? AES.GCM.SealedBox(
          nonce: nonce(number), ciphertext: record.prefix(count), tag: record.dropFirst(count)),
        let opened = try? AES.GCM.open(box, using: key)
      else { return false }
      UnsafeMutableRawBufferPointer(start: plain, count: count).copyBytes(from: opened)
      return true
    }

    private func nonce(_ number: UInt64) -> AES.GCM.Nonce {
      guard let nonce = keys.withNonce(number, { try? AES.GCM.Nonce(data: $0) }) else {
        preconditionFailure("CryptoKit has no nonces")
      }
      return nonce
    }
  #else
    // Needs no lock, because it belongs to one encoder or decoder, which cannot be copied.
    nonisolated(unsafe) private let context: OpaquePointer

    init(_ keys: RecordKeys, encrypts: Bool) {
      guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("OpenSSL has no memory") }
      self.context = context
      self.keys = keys
      let isReady = keys.key.withUnsafeBytes { key in
        EVP_CipherInit_ex(
          context, EVP_aes_128_gcm(), nil, key.bindMemory(to: UInt8.self).baseAddress, nil, encrypts ? 1 : 0)
      }
      precondition(isReady == 1, "OpenSSL has no AES-128-GCM")
    }

    // Also clears the key.
    deinit { EVP_CIPHER_CTX_free(context) }

    /// Encrypts a record.
    /// - Parameters:
    ///   - first: The beginning of the plaintext.
    ///   - second: The plaintext after `first`.
    ///   - record: Memory for the ciphertext and the tag. It holds the end of the plaintext already.
    func seal(
      _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
      _ record: UnsafeMutableRawBufferPointer,
      number: UInt64
    ) {
      let count = record.count - RecordLayout.tagLength
      let end = UnsafeRawBufferPointer(rebasing: record[(first.count + second.count)..<count])
      let tag = record.baseAddress.map { $0 + count }
      var (written, rest) = (0, Int32(0))
      let isDone =
        keys.withNonce(number, begin)
        && encrypt(first, record, &written) && encrypt(second, record, &written)
        && encrypt(end, record, &written)
        && EVP_CipherFinal_ex(context, tag?.assumingMemoryBound(to: UInt8.self), &rest) == 1 && rest == 0
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(RecordLayout.tagLength), tag) == 1
      precondition(isDone && written == count, "OpenSSL cannot encrypt")
    }

    /// Starts a record with the same key.
    private func begin(_ nonce: UnsafeRawBufferPointer) -> Bool {
      EVP_CipherInit_ex(context, nil, nil, nil, nonce.bindMemory(to: UInt8.self).baseAddress, -1) == 1
    }

    @inline(__always)
    private func encrypt(
      _ bytes: UnsafeRawBufferPointer, _ record: UnsafeMutableRawBufferPointer, _ end: inout Int
    ) -> Bool {
      guard let start = bytes.baseAddress, let output = record.baseAddress, !bytes.isEmpty else {
        return true
      }
      var count: Int32 = 0
      defer { end += Int(count) }
      return EVP_CipherUpdate(
        context, (output + end).assumingMemoryBound(to: UInt8.self), &count,
        start.assumingMemoryBound(to: UInt8.self), Int32(bytes.count)) == 1
    }

    /// Decrypts a record.
    /// - Parameter plain: Memory for the record without its tag. Its contents are meaningless if this returns
    ///   false.
    /// - Returns: False if a single bit of the record, its place or the key is wrong.
    func open(_ record: UnsafeRawBufferPointer, number: UInt64, into plain: UnsafeMutableRawPointer) -> Bool {
      guard let start = record.baseAddress else { return false }
      let count = record.count - RecordLayout.tagLength
      let bytes = plain.assumingMemoryBound(to: UInt8.self)
      // OpenSSL declares the tag mutable, but only reads it.
      let tag = UnsafeMutableRawPointer(mutating: start + count)
      var (written, rest) = (Int32(0), Int32(0))
      let isReady =
        keys.withNonce(number, begin)
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(RecordLayout.tagLength), tag) == 1
        && EVP_CipherUpdate(
          context, bytes, &written, start.assumingMemoryBound(to: UInt8.self), Int32(count)) == 1
      precondition(isReady && Int(written) == count, "OpenSSL cannot decrypt")
      return EVP_CipherFinal_ex(context, bytes + count, &rest) == 1
    }
  #endif
}
