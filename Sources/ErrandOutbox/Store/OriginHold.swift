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

/// What an attempt has told about its origin.
public struct OriginNews: Sendable, Hashable {
  public enum Change: Sendable, Hashable {
    /// Nothing more is claimed of it for so long.
    case hold(OriginHold.Kind, reason: String, label: Data, for: Duration)
    /// It is well again.
    case release
  }

  public var origin: String
  public var change: Change

  public init(origin: String, change: Change) {
    self.origin = origin
    self.change = change
  }
}
