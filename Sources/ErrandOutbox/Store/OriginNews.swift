#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The news of an origin that an attempt brought.
public struct OriginNews: Sendable, Hashable {
  public enum Change: Sendable, Hashable {
    /// No more rows of the origin are claimed for this long.
    case hold(OriginHold.Kind, reason: String, for: Duration)
    /// The origin's hold ends.
    case release
  }

  public var origin: String
  public var change: Change
  /// The origin as it may be shown while it is held. May be encrypted.
  public var label: Data

  public init(origin: String, change: Change, label: Data = Data()) {
    self.origin = origin
    self.change = change
    self.label = label
  }
}
