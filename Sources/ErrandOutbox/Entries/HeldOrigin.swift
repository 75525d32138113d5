#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An origin to which nothing is sent for a while.
public struct HeldOrigin: Sendable, Hashable {
  /// Scheme, host and port: `https://example.com:443`.
  public let origin: String
  public let kind: OriginHold.Kind
  /// Why it is held.
  public let reason: String
  /// When the next request is sent to it.
  public let until: Date
}

extension RequestStorage {
  func heldOrigin(_ hold: OriginHold) -> HeldOrigin {
    HeldOrigin(
      origin: (try? shownOrigin(of: hold)) ?? "?", kind: hold.kind, reason: hold.reason,
      until: Date(milliseconds: hold.until))
  }
}
