#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A hashing algorithm that digests can be made and verified with: those registered as standard (RFC 9530,
/// section 7.2). Its raw value is its key in a field.
public enum DigestAlgorithm: String, Sendable, CaseIterable {
  /// SHA-256 (FIPS 180-4).
  case sha256 = "sha-256"
  /// SHA-512 (FIPS 180-4).
  case sha512 = "sha-512"

  /// The number of bytes of a digest.
  package var byteCount: Int {
    switch self {
    case .sha256: 32
    case .sha512: 64
    }
  }

  /// Returns the digest of data.
  public func digest(of data: Data) -> Data {
    var hasher = DigestHasher(self)
    hasher.update(data)
    return hasher.finalize()
  }
}
