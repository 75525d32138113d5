#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What makes two bodies the same.
enum BodyIdentity: Sendable, Hashable {
  /// A part of a form; the line between parts is left out, because it is random.
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

  /// More than this is not kept in a key; its digest is.
  private static let largestKept = 4096

  static func data(_ data: Data) -> BodyIdentity {
    data.count > largestKept ? .digest(BodyDigest(data)) : .bytes(ExactBytes(data))
  }
}
