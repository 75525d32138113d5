#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
  import ErrandCore
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// HMAC-SHA-256 (RFC 2104 with FIPS 180-4).
enum HMACSHA256 {
  static let byteCount = 32

  /// Returns the code of the data. The code is secret, too, because derived keys are made this way.
  static func code(key: some ContiguousBytes, data: some ContiguousBytes) -> SecretBytes {
    SecretBytes(count: byteCount) { code in
      key.withUnsafeBytes { key in data.withUnsafeBytes { write(key, $0, to: code) } }
    }
  }

  private static func write(
    _ key: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer, to code: UnsafeMutableRawBufferPointer
  ) {
    #if canImport(CryptoKit)
      HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: key)).withUnsafeBytes {
        code.copyMemory(from: $0)
      }
    #else
      var count = 0
      let written = EVP_Q_mac(
        nil, "HMAC", nil, "SHA256", nil, key.baseAddress, key.count,
        data.bindMemory(to: UInt8.self).baseAddress, data.count,
        code.bindMemory(to: UInt8.self).baseAddress, code.count, &count)
      precondition(written != nil && count == byteCount, "OpenSSL has no HMAC-SHA-256")
    #endif
  }
}

/// A key for many codes. The computation that depends on the key alone is done once.
final class HMACKey: Sendable {
  #if canImport(CryptoKit)
    private let secret: SecretBytes

    init(_ secret: SecretBytes) { self.secret = secret }

    /// Returns the code of the data.
    func code(of data: Data) -> SecretBytes { HMACSHA256.code(key: secret, data: data) }
  #else
    // Safe to share: it is used only under the lock.
    nonisolated(unsafe) private let context: OpaquePointer
    private let lock = Locked(())
    /// The most bytes that are hashed under the lock, which takes about a microsecond. For more, the context
    /// is copied.
    private static let longestShared = 4096

    init(_ secret: SecretBytes) {
      let algorithm = EVP_MAC_fetch(nil, "HMAC", nil)
      defer { EVP_MAC_free(algorithm) }
      guard let context = EVP_MAC_CTX_new(algorithm), Self.start(context, secret) else {
        preconditionFailure("OpenSSL has no HMAC-SHA-256")
      }
      self.context = context
    }

    deinit { EVP_MAC_CTX_free(context) }

    private static func start(_ context: OpaquePointer, _ secret: SecretBytes) -> Bool {
      var digest = Array("SHA256".utf8CString)
      return digest.withUnsafeMutableBufferPointer { digest in
        let parameters = [
          OSSL_PARAM_construct_utf8_string("digest", digest.baseAddress, 0), OSSL_PARAM_construct_end(),
        ]
        return secret.withUnsafeBytes {
          EVP_MAC_init(context, $0.bindMemory(to: UInt8.self).baseAddress, $0.count, parameters) == 1
        }
      }
    }

    /// Returns the code of the data.
    func code(of data: Data) -> SecretBytes {
      SecretBytes(count: HMACSHA256.byteCount) { code in
        var isDone = false
        if data.count <= Self.longestShared {
          isDone = lock.withLock { _ in Self.write(data, context, to: code) }
        } else {
          // Safe to use here: only this thread knows the copy.
          nonisolated(unsafe) var copy: OpaquePointer?
          lock.withLock { _ in copy = EVP_MAC_CTX_dup(context) }
          isDone = copy.map { Self.write(data, $0, to: code) } ?? false
          EVP_MAC_CTX_free(copy)
        }
        precondition(isDone, "OpenSSL cannot make a code")
      }
    }

    private static func write(
      _ data: Data, _ context: OpaquePointer, to code: UnsafeMutableRawBufferPointer
    ) -> Bool {
      data.withUnsafeBytes { data in
        var count = 0
        // Without a key, this starts again with the key that the context has.
        return EVP_MAC_init(context, nil, 0, nil) == 1
          && EVP_MAC_update(context, data.bindMemory(to: UInt8.self).baseAddress, data.count) == 1
          && EVP_MAC_final(context, code.bindMemory(to: UInt8.self).baseAddress, &count, code.count) == 1
          && count == HMACSHA256.byteCount
      }
    }
  #endif
}
