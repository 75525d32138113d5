package import ErrandCore

/// Whether this machine has a network. It is only a hint: `online` does not mean that the server can be
/// reached, and the system may report a network late. So do not refuse a request because of the status. While
/// you wait for `online`, send a request from time to time anyway.
public enum NetworkStatus: Sendable, Hashable {
  /// At least one network can be reached, perhaps only the local one. The server may be reachable.
  case online
  /// No other machine can be reached. Requests to `localhost` need no network.
  case offline
  /// The status is unknown, because the system has not reported it yet, or never reports it. Treat it as `online`.
  case unknown
}

/// Reports whether the machine has a network. `Reachability` gets the status from the system. In tests, set
/// it with `ManualReachability` from ErrandTesting.
public protocol ReachabilityMonitor: Sendable {
  /// The sequence of statuses that `updates` returns.
  associatedtype Updates: AsyncSequence<NetworkStatus, Never> & Sendable

  /// The latest known status. Reading it does not wait.
  var current: NetworkStatus { get }

  /// The current status, followed by each change. A slow reader may miss intermediate statuses, but never the
  /// newest. Any number of readers may read at once, each with a separate sequence. The sequence ends when
  /// the reading task is cancelled.
  var updates: Updates { get }
}

/// The statuses of a monitor, as `ReachabilityMonitor.updates` describes them. The monitor keeps watching while the
/// sequence is read.
package struct NetworkUpdates: AsyncSequence, Sendable {
  package typealias Element = NetworkStatus
  package typealias Failure = Never

  private let status: @Sendable () -> CurrentValue<NetworkStatus, NetworkStatus>

  /// - Parameter status: Called by each reader. Its captured values live while the updates are read.
  package init(_ status: @autoclosure @escaping @Sendable () -> CurrentValue<NetworkStatus, NetworkStatus>) {
    self.status = status
  }

  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let status: @Sendable () -> CurrentValue<NetworkStatus, NetworkStatus>
    fileprivate var seen: NetworkStatus?

    package mutating func next() async -> NetworkStatus? {
      guard let news = await status().next(after: seen) else { return nil }
      seen = news
      return news
    }
  }

  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(status: status) }
}
