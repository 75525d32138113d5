#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An origin of which no process claims requests for a while.
public struct OriginHold: Sendable, Hashable {
  public enum Kind: Int, Sendable, Hashable, CaseIterable {
    /// No connection to the origin can be made, or it does not respond, or only with failures.
    case trouble
    /// The origin asked for a pause with `Retry-After`.
    case busy
    /// The origin refuses the credentials: 401 or 403.
    case unauthorized
  }

  /// The origin's name: that of the rows' `origin`.
  public var origin: String
  /// The origin as it may be shown. May be encrypted.
  public var label: Data
  public var kind: Kind
  public var reason: String
  /// When the hold ends: milliseconds since 1970.
  public var until: Int64

  public init(origin: String, label: Data, kind: Kind, reason: String, until: Int64) {
    self.origin = origin
    self.label = label
    self.kind = kind
    self.reason = reason
    self.until = until
  }
}

/// An origin, or a key within it, to which nothing is sent for a while.
public struct HeldOrigin: Sendable, Hashable {
  /// Scheme, host and port: `https://example.com:443`.
  public let origin: String
  /// The key whose requests are held (`OutboxItem.key`); nil for those of the origin that have none.
  public let key: String?
  public let kind: OriginHold.Kind
  /// Why it is held.
  public let reason: String
  /// When the next request is sent to it.
  public let until: Date
}
