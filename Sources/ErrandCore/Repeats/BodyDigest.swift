#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The digest of a body that is too large for a key to keep alive.
struct BodyDigest: Sendable, Hashable {
  private let digest: SHA256Digest

  init(_ data: Data) { digest = SHA256Digest(hashing: data) }
}
