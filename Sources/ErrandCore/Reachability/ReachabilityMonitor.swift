/// Knows whether there is a network. `Reachability` asks the system; `ManualReachability` of ErrandTesting says what it is
/// told to say.
public protocol ReachabilityMonitor: Sendable {
  associatedtype Updates: AsyncSequence<NetworkStatus, Never> & Sendable

  /// What is known at this moment. Returns at once.
  var current: NetworkStatus { get }

  /// The present status first, then each that is different. A slow reader may miss what lies between, never the newest.
  /// Any number of readers may follow, each with its own sequence. Ends when the reading task is cancelled.
  var updates: Updates { get }
}
