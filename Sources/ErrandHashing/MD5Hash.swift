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

/// Computes MD5 (RFC 1321) incrementally. Only Digest authentication uses it.
@safe package struct MD5Hash: ~Copyable {
  #if canImport(CryptoKit)
    private var hash = Insecure.MD5()

    package init() {}

    package mutating func update(_ data: Data) { hash.update(data: data) }

    package consuming func finalize() -> String { Self.digits(of: Array(hash.finalize())) }
  #else
    private let context: OpaquePointer

    package init() {
      guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, EVP_md5(), nil) == 1
      else { preconditionFailure("OpenSSL has no memory, or no MD5") }
      unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    package mutating func update(_ data: Data) {
      unsafe data.withUnsafeBytes { bytes in
        _ = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
      }
    }

    package consuming func finalize() -> String {
      var digest = [UInt8](repeating: 0, count: 16)
      unsafe EVP_DigestFinal_ex(context, &digest, nil)
      return Self.digits(of: digest)
    }
  #endif

  private static func digits(of bytes: [UInt8]) -> String {
    bytes.map { UInt64($0).hexadecimal(2) }.joined()
  }
}
