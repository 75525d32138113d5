import ErrandCore
public import ErrandReachability

/// A reachability monitor whose status is set by hand, for tests and simulations.
///
/// ```swift
/// let network = ManualReachability(.offline)
/// network.set(.online)
/// ```
public final class ManualReachability: ReachabilityMonitor {
  private let status: CurrentValue<NetworkStatus, NetworkStatus>

  /// - Parameter status: The first status. Default: online.
  public init(_ status: NetworkStatus = .online) { self.status = CurrentValue(status) }

  public var current: NetworkStatus { status.current }

  public var updates: NetworkUpdates { NetworkUpdates(self.status) }

  /// Sets the status, and tells all followers if it has changed.
  public func set(_ status: NetworkStatus) { self.status.set(status) }
}
