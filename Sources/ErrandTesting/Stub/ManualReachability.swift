import ErrandCore
public import ErrandReachability

/// A reachability monitor whose status a test or a simulation sets.
///
/// ```swift
/// let network = ManualReachability(.offline)
/// network.set(.online)
/// ```
public final class ManualReachability: ReachabilityMonitor {
  private let status: CurrentValue<NetworkStatus, NetworkStatus>

  /// Creates a monitor.
  /// - Parameter status: The first status. Default: online.
  public init(_ status: NetworkStatus = .online) { self.status = CurrentValue(status) }

  /// The status that was set last.
  public var current: NetworkStatus { status.current }

  /// A sequence of the current status and all later changes.
  public var updates: some AsyncSequence<NetworkStatus, Never> & Sendable { NetworkUpdates(self.status) }

  /// Sets the status. If it differs from the current one, `updates` yields it.
  public func set(_ status: NetworkStatus) { self.status.set(status) }
}
