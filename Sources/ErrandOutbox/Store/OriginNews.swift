#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
