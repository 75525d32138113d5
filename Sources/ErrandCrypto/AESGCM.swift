#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
#endif

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// AES-256-GCM (NIST SP 800-38D), with keys of 32 bytes, nonces of 12 and tags of 16.
package enum AESGCM {
  package static let nonceLength = 12
  package static let tagLength = 16

  /// Encrypts data with a random nonce.
  /// - Returns: The nonce, the ciphertext and the tag.
  package static func seal(_ plain: Data, with key: Data, authenticating context: Data) -> Data {
    let nonce = Data.random(nonceLength)
    return nonce + seal(plain, with: key, nonce: nonce, authenticating: context)
  }

  /// Decrypts data that begins with its nonce.
  /// - Returns: Nil if one bit of the data, the context or the key has changed.
  package static func open(_ sealed: Data, with key: Data, authenticating context: Data) -> Data? {
    guard sealed.count >= nonceLength else { return nil }
    return open(
      sealed.dropFirst(nonceLength), with: key, nonce: sealed.prefix(nonceLength), authenticating: context)
  }

  /// Encrypts data.
  /// - Parameter nonce: 12 bytes that are used only once with this key.
  /// - Returns: The ciphertext, followed by the tag.
  package static func seal(_ plain: Data, with key: Data, nonce: Data, authenticating context: Data) -> Data {
    #if canImport(CryptoKit)
      guard let nonce = try? AES.GCM.Nonce(data: nonce),
        let box = try? AES.GCM.seal(
          plain, using: SymmetricKey(data: key), nonce: nonce, authenticating: context)
      else { preconditionFailure("CryptoKit cannot seal") }
      return box.ciphertext + box.tag
    #else
      let cipher = Cipher(key, nonce: nonce, encrypts: true)
      cipher.authenticate(context)
      return cipher.update(plain) + cipher.finish()
    #endif
  }

  /// Decrypts data.
  /// - Returns: Nil if one bit of the data, the context or the key has changed.
  package static func open(_ sealed: Data, with key: Data, nonce: Data, authenticating context: Data) -> Data?
  {
    guard sealed.count >= tagLength else { return nil }
    let (ciphertext, tag) = (sealed.dropLast(tagLength), sealed.suffix(tagLength))
    #if canImport(CryptoKit)
      guard let nonce = try? AES.GCM.Nonce(data: nonce),
        let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag)
      else { return nil }
      return try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: context)
    #else
      let cipher = Cipher(key, nonce: nonce, encrypts: false)
      cipher.authenticate(context)
      let plain = cipher.update(ciphertext)
      return cipher.verify(tag) ? plain : nil
    #endif
  }
}

extension Data {
  /// Returns unpredictable bytes, from the system's cryptographic generator.
  package static func random(_ count: Int) -> Data {
    var generator = SystemRandomNumberGenerator()
    return Data((0..<count).map { _ in UInt8.random(in: 0...(.max), using: &generator) })
  }
}

#if !canImport(CryptoKit)
  extension AESGCM {
    /// One use of OpenSSL's cipher.
    // Safe: the context is used by its owner only, and outlives each call.
    @safe private final class Cipher {
      private let context: OpaquePointer

      init(_ key: Data, nonce: Data, encrypts: Bool) {
        precondition(nonce.count == nonceLength && key.count == 32)
        guard let context = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("OpenSSL has no memory") }
        unsafe self.context = context
        let isReady = unsafe key.withUnsafeBytes { key in
          unsafe nonce.withUnsafeBytes { nonce in
            unsafe EVP_CipherInit_ex(
              context, EVP_aes_256_gcm(), nil, key.bindMemory(to: UInt8.self).baseAddress,
              nonce.bindMemory(to: UInt8.self).baseAddress, encrypts ? 1 : 0)
          }
        }
        precondition(isReady == 1, "OpenSSL has no AES-256-GCM")
      }

      deinit { unsafe EVP_CIPHER_CTX_free(context) }

      func authenticate(_ data: Data) {
        guard !data.isEmpty else { return }
        var count: Int32 = 0
        let isDone = unsafe data.withUnsafeBytes { bytes in
          unsafe EVP_CipherUpdate(
            context, nil, &count, bytes.bindMemory(to: UInt8.self).baseAddress, Int32(bytes.count))
        }
        precondition(isDone == 1)
      }

      func update(_ data: Data) -> Data {
        var output = Data(count: data.count)
        unsafe output.withUnsafeMutableBytes { output in
          unsafe data.withUnsafeBytes { input in
            // OpenSSL counts in 32 bits.
            for start in stride(from: 0, to: input.count, by: 1 << 30) {
              let range = start..<min(start + (1 << 30), input.count)
              let (from, to) = unsafe (input[range], output[range])
              var count: Int32 = 0
              let isDone = unsafe EVP_CipherUpdate(
                context, UnsafeMutableRawBufferPointer(rebasing: to).bindMemory(to: UInt8.self).baseAddress,
                &count, UnsafeRawBufferPointer(rebasing: from).bindMemory(to: UInt8.self).baseAddress,
                Int32(range.count))
              precondition(isDone == 1 && Int(count) == range.count)
            }
          }
        }
        return output
      }

      /// Ends encryption, and returns the tag.
      func finish() -> Data {
        var nothing: UInt8 = 0
        var count: Int32 = 0
        let isEnded = unsafe EVP_CipherFinal_ex(context, &nothing, &count)
        precondition(isEnded == 1)
        var tag = Data(count: tagLength)
        let isDone = unsafe tag.withUnsafeMutableBytes {
          unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), $0.baseAddress)
        }
        precondition(isDone == 1)
        return tag
      }

      /// Ends decryption, and returns true if the tag is right.
      func verify(_ tag: Data) -> Bool {
        var tag = Data(tag)
        let isTaken = unsafe tag.withUnsafeMutableBytes {
          unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), $0.baseAddress)
        }
        precondition(isTaken == 1)
        var nothing: UInt8 = 0
        var count: Int32 = 0
        return unsafe EVP_CipherFinal_ex(context, &nothing, &count) == 1
      }
    }
  }
#endif
