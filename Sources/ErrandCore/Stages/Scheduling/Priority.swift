/// The priority of a request. Requests that wait for a slot start in this order, first in, first out within
/// one priority.
public enum Priority: UInt8, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
  /// Work that the user does not see: prefetching, clearing up.
  case background
  /// Work whose result the user needs later: uploads of photos, synchronisation.
  case utility
  /// The priority of requests that do not set one.
  case `default`
  /// Work that the user waits for: the response is shown on screen.
  case userInitiated

  public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }

  public var description: String {
    switch self {
    case .background: "background"
    case .utility: "utility"
    case .default: "default"
    case .userInitiated: "userInitiated"
    }
  }
}
