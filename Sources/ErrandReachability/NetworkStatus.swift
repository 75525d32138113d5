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

/// The statuses of a monitor: the current one, followed by each change. A slow reader may miss intermediate
/// statuses, but never the newest. The monitor keeps watching while the sequence is read. The sequence ends
/// when the reading task is cancelled.
public struct NetworkUpdates: AsyncSequence, Sendable {
  public typealias Element = NetworkStatus
  public typealias Failure = Never

  private let status: @Sendable () -> CurrentValue<NetworkStatus, NetworkStatus>

  /// - Parameter status: Called by each reader. Its captured values live while the updates are read.
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
