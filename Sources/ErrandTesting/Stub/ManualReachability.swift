public import ErrandCore

/// A network that is there or not because somebody said so: for tests and simulations.
///
/// ```swift
/// let network = ManualReachability(.offline)
/// network.set(.online)
/// ```
public final class ManualReachability: ReachabilityMonitor {
  private let board: NetworkBoard

  /// - Parameter status: What is said at first. Default: online.
  public init(_ status: NetworkStatus = .online) { board = NetworkBoard(status) }

  public var current: NetworkStatus { board.current }

  public var updates: NetworkUpdates { NetworkUpdates(board) }

  /// Tells all who follow, unless it is no news.
  public func set(_ status: NetworkStatus) { board.set(status) }
}
