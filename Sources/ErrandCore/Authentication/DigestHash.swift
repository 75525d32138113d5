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
    case .sha256: SHA256Digest(hashing: data).description
    case .md5: Self.md5(data).map { UInt64($0).hexadecimal(2) }.joined()
    }
  }

  private static func md5(_ data: Data) -> [UInt8] {
    #if canImport(CryptoKit)
      return Array(Insecure.MD5.hash(data: data))
    #else
      var digest = [UInt8](repeating: 0, count: 16)
      let isDone = unsafe data.withUnsafeBytes { bytes in
        unsafe EVP_Digest(bytes.baseAddress, bytes.count, &digest, nil, EVP_md5(), nil)
      }
      precondition(isDone == 1, "OpenSSL has no MD5")
      return digest
    #endif
  }
}
