package import ErrandCore

/// Whether this machine has a network. A hint, not a promise: `online` says nothing about the server, and a
/// network may be back before the system reports it. So do not refuse a request because of it, and when
/// waiting for `online`, try from time to time all the same.
public enum NetworkStatus: Sendable, Hashable {
  /// At least one network is reachable, if only the local one: the server may be there.
  case online
  /// No other machine can be reached. Requests to `localhost` need no network.
  case offline
  /// The status is not known: not reported yet, or this system does not report it. Treat it as `online`.
  case unknown
}

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

/// A monitor's statuses: the current one first, then each change. A slow reader misses intermediate statuses,
/// never the newest. The sequence ends when the reading task is cancelled; while it is read, watching goes
/// on.
public struct NetworkUpdates: AsyncSequence, Sendable {
  public typealias Element = NetworkStatus
  public typealias Failure = Never

  private let status: @Sendable () -> CurrentValue<NetworkStatus, NetworkStatus>

  /// - Parameter status: Called by each reader; what it captures lives while the updates are read.
  package init(_ status: @autoclosure @escaping @Sendable () -> CurrentValue<NetworkStatus, NetworkStatus>) {
    self.status = status
  }

  /// Reads the statuses one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let status: @Sendable () -> CurrentValue<NetworkStatus, NetworkStatus>
    fileprivate var seen: NetworkStatus?

    /// Returns the next status; nil if the task is cancelled.
    public mutating func next() async -> NetworkStatus? {
      guard let news = await status().next(after: seen) else { return nil }
      seen = news
      return news
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(status: status) }
}
