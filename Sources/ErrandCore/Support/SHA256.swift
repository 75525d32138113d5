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

/// Computes SHA-256 (FIPS 180-4) incrementally.
@safe package struct SHA256: ~Copyable {
  #if canImport(CryptoKit)
    private var hash = CryptoKit.SHA256()

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe hash.update(bufferPointer: bytes)
    }

    package consuming func finalize() -> SHA256Digest { Self.digest(Array(hash.finalize())) }
  #else
    private let context: OpaquePointer

    package init() {
      guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
      else { preconditionFailure("OpenSSL has no memory, or no SHA-256") }
      unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    package consuming func finalize() -> SHA256Digest {
      var bytes = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
      unsafe EVP_DigestFinal_ex(context, &bytes, nil)
      return Self.digest(bytes)
    }
  #endif

  package mutating func update(_ data: Data) {
    unsafe data.withUnsafeBytes { unsafe update($0) }
  }

  private static func digest(_ bytes: [UInt8]) -> SHA256Digest {
    guard let digest = SHA256Digest(bytes) else { preconditionFailure("SHA-256 has 32 bytes") }
    return digest
  }
}
