public import ErrandReachability

/// A reachability monitor whose status is set by hand, for tests and simulations.
///
/// ```swift
/// let network = ManualReachability(.offline)
/// network.set(.online)
/// ```
public final class ManualReachability: ReachabilityMonitor {
  private let board: NetworkBoard

  /// - Parameter status: The first status. Default: online.
  public init(_ status: NetworkStatus = .online) { board = NetworkBoard(status) }

  public var current: NetworkStatus { board.current }

  public var updates: NetworkUpdates { NetworkUpdates(board) }

  /// Sets the status, and tells all followers if it has changed.
  public func set(_ status: NetworkStatus) { board.set(status) }
}
