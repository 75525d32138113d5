#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What stands for bytes that are too many to be kept alive by a key.
struct BodyDigest: Sendable, Hashable {
  private let digest: SHA256Digest

  init(_ data: Data) { digest = SHA256Digest(hashing: data) }
}
