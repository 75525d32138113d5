#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The news of an origin that an attempt brought.
public struct OriginNews: Sendable, Hashable {
  public enum Change: Sendable, Hashable {
    /// No more rows of the origin are claimed for this long.
    case hold(OriginHold.Kind, reason: String, label: Data, for: Duration)
    /// The origin's hold ends.
    case release
  }

  public var origin: String
  public var change: Change

  public init(origin: String, change: Change) {
    self.origin = origin
    self.change = change
  }
}
