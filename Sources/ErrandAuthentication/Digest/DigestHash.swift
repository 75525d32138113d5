import ErrandCore

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

/// The hash functions of Digest authentication (RFC 7616, section 3.4), the best first.
enum DigestHash: String, CaseIterable, Sendable {
  case sha256 = "SHA-256"
  case md5 = "MD5"

  /// Returns the hash of a text as hexadecimal digits.
  func callAsFunction(_ text: String) -> String { self(Data(text.utf8)) }

  /// Returns the hash of data as hexadecimal digits.
  func callAsFunction(_ data: Data) -> String {
    switch self {
    case .sha256:
      var hash = SHA256()
      hash.update(data)
      return hash.finalize().description
    case .md5:
      var hash = MD5()
      hash.update(data)
      return hash.finalize()
    }
  }

  /// Returns the hash of a body as hexadecimal digits, without holding it in memory.
  /// - Throws: The errors of `RequestBody.chunks`.
  func callAsFunction(_ body: RequestBody) async throws -> String {
    switch self {
    case .sha256:
      var hash = SHA256()
      for try await chunk in body.chunks { hash.update(chunk) }
      return hash.finalize().description
    case .md5:
      var hash = MD5()
      for try await chunk in body.chunks { hash.update(chunk) }
      return hash.finalize()
    }
  }
}

/// Computes MD5 (RFC 1321) incrementally. Only Digest authentication uses it.
@safe private struct MD5: ~Copyable {
  #if canImport(CryptoKit)
    private var hash = Insecure.MD5()

    mutating func update(_ data: Data) { hash.update(data: data) }

    consuming func finalize() -> String { Self.digits(of: Array(hash.finalize())) }
  #else
    private let context: OpaquePointer

    init() {
      guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, EVP_md5(), nil) == 1
      else { preconditionFailure("OpenSSL has no memory, or no MD5") }
      unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    mutating func update(_ data: Data) {
      unsafe data.withUnsafeBytes { bytes in
        _ = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
      }
    }

    consuming func finalize() -> String {
      var digest = [UInt8](repeating: 0, count: 16)
      unsafe EVP_DigestFinal_ex(context, &digest, nil)
      return Self.digits(of: digest)
    }
  #endif

  private static func digits(of bytes: [UInt8]) -> String {
    bytes.map { UInt64($0).hexadecimal(2) }.joined()
  }
}
