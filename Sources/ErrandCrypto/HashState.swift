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

/// Computes a hash of content that comes in pieces, with the system's library.
@safe package struct HashState: ~Copyable, Sendable {
  package enum Function: String, Sendable {
    /// RFC 1321. Only Digest authentication uses it.
    case md5 = "MD5"
    /// FIPS 180-4.
    case sha256 = "SHA-256"
    /// FIPS 180-4.
    case sha512 = "SHA-512"
  }

  #if canImport(CryptoKit)
    // Safe to send: it belongs to one value, which cannot be copied. Only its mutating methods use it.
    nonisolated(unsafe) private var hash: any HashFunction

    package init(_ function: Function) {
      switch function {
      case .md5: unsafe hash = Insecure.MD5()
      case .sha256: unsafe hash = CryptoKit.SHA256()
      case .sha512: unsafe hash = CryptoKit.SHA512()
      }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe hash.update(bufferPointer: bytes)
    }

    /// Returns the hash of all the pieces. No piece may follow.
    package mutating func finalize() -> [UInt8] { unsafe Self.bytes(of: hash) }

    private static func bytes(of hash: some HashFunction) -> [UInt8] { Array(hash.finalize()) }
  #else
    // Safe to send: it belongs to one value, which cannot be copied. Only its mutating methods use it.
    nonisolated(unsafe) private let context: OpaquePointer

    package init(_ function: Function) {
      let type =
        switch function {
        case .md5: unsafe EVP_md5()
        case .sha256: unsafe EVP_sha256()
        case .sha512: unsafe EVP_sha512()
        }
      guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, type, nil) == 1
      else { preconditionFailure("OpenSSL has no memory, or no \(function.rawValue)") }
      unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
      let isDone = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
      precondition(isDone == 1, "OpenSSL cannot hash")
    }

    /// Returns the hash of all the pieces. No piece may follow.
    package mutating func finalize() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
      var count: UInt32 = 0
      let isDone = unsafe EVP_DigestFinal_ex(context, &bytes, &count)
      precondition(isDone == 1, "OpenSSL cannot hash")
      return Array(bytes.prefix(Int(count)))
    }
  #endif

  package mutating func update(_ data: Data) {
    unsafe data.withUnsafeBytes { unsafe update($0) }
  }
}
