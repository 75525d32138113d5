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

/// HMAC-SHA-256 (RFC 2104 with FIPS 180-4).
enum HMACSHA256 {
  static let byteCount = 32

  /// Returns the code of the data. It is a secret, too: a derived key is made this way.
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
