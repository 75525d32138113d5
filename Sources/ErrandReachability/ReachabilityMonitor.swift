/// Reports whether there is a network. `Reachability` gets the status from the system; `ManualReachability`
/// of ErrandTesting is set by a test.
public protocol ReachabilityMonitor: Sendable {
  associatedtype Updates: AsyncSequence<NetworkStatus, Never> & Sendable

  /// The status known at this moment. Returns at once.
  var current: NetworkStatus { get }

  /// The current status first, then each change. A slow reader may miss intermediate statuses, never the
  /// newest. Any number of readers may follow, each with its own sequence. The sequence ends when the reading
  /// task is cancelled.
  var updates: Updates { get }
}
