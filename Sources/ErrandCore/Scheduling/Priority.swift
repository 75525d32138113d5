/// How soon a request is wanted. Those that wait for a slot go in this order, and first in, first out within one.
public enum Priority: UInt8, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
  /// Nobody sees it: prefetching, clearing up.
  case background
  /// Somebody will want it, not now: uploads of photos, synchronisation.
  case utility
  /// What is not said otherwise.
  case `default`
  /// A person looks at the place where its answer will be.
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
