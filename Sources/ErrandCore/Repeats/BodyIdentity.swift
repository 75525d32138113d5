#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The identity of a body: bodies with equal identities are the same.
enum BodyIdentity: Sendable, Hashable {
  /// A part of a form; the boundary is left out, because it is random.
  struct Part: Sendable, Hashable {
    let head: ExactBytes
    let content: BodyIdentity
  }

  case none
  case bytes(ExactBytes)
  case digest(BodyDigest)
  case file(FileIdentity)
  case parts([Part])
  case source(BodySource)

  /// A body with more bytes is represented by its digest.
  private static let largestKept = 4096

  static func data(_ data: Data) -> BodyIdentity {
    data.count > largestKept ? .digest(BodyDigest(data)) : .bytes(ExactBytes(data))
  }
}
