#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An origin whose requests no process claims until a certain time.
package struct OriginHold: Sendable, Hashable {
  package typealias Kind = HeldOrigin.Kind

  /// The name of the origin, as in the rows' `origin`.
  package var origin: String
  /// The origin as it may be shown. May be encrypted.
  package var label: Data
  /// Why the origin is held.
  package var kind: Kind
  /// The failure that led to the hold, as a sentence to show.
  package var reason: String
  /// When the hold ends: milliseconds since 1970.
  package var until: Int64

  package init(origin: String, label: Data, kind: Kind, reason: String, until: Int64) {
    self.origin = origin
    self.label = label
    self.kind = kind
    self.reason = reason
    self.until = until
  }
}

/// An origin, or a key within it, to which nothing is sent for a while.
public struct HeldOrigin: Sendable, Hashable {
  /// Why an origin is held.
  package enum Kind: Int, Sendable, Hashable, CaseIterable {
    /// No connection to the origin can be made, or the origin does not respond, or it responds only with
    /// failures.
    case trouble
    /// The origin asked for a pause with `Retry-After`.
    case busy
    /// The origin refuses the credentials: 401 or 403.
    case unauthorized
  }

  /// Scheme, host and port: `https://example.com:443`.
  public let origin: String
  /// The key whose requests are held (`OutboxItem.key`); nil for the requests of the origin that have no key.
  public let key: String?
  /// Why the outbox holds it.
  package let kind: Kind
  /// The failure that led to the hold, as a sentence to show.
  public let reason: String
  /// When the outbox sends the next request to it.
  public let until: Date
}
