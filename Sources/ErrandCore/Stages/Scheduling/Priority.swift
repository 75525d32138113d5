/// The priority of a request. Requests that wait for a slot start in this order, first in, first out within
/// one priority.
public enum Priority: UInt8, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
  /// Work that the user does not see, such as prefetching and clearing up.
  case background
  /// Work whose result the user needs later, such as uploads of photos and synchronisation.
  case utility
  /// The priority of requests that do not set one.
  case `default`
  /// Work that the user waits for, such as a response that is shown on screen.
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
