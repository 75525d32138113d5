#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An origin of which nothing is claimed for a while, by anybody.
public struct OriginHold: Sendable, Hashable {
  public enum Kind: Int, Sendable, Hashable, CaseIterable {
    /// There is no way to it, or it does not answer, or with failures only.
    case trouble
    /// It has asked to be left alone, by `Retry-After`.
    case busy
    /// It refuses the credentials: 401 or 403.
    case unauthorized
  }

  /// Its name: that of the rows' `origin`.
  public var origin: String
  /// What may be shown of it, in a form that may be sealed.
  public var label: Data
  public var kind: Kind
  public var reason: String
  /// When it ends: milliseconds since 1970.
  public var until: Int64

  public init(origin: String, label: Data, kind: Kind, reason: String, until: Int64) {
    self.origin = origin
    self.label = label
    self.kind = kind
    self.reason = reason
    self.until = until
  }
}
