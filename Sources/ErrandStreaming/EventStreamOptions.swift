public import ErrandCore
public import ErrandReachability

/// The settings of an event stream.
public struct EventStreamOptions: Sendable {
  /// The longest silence. A connection on which not a single byte has come for this long, not even a comment, is
  /// replaced by a new one. Nil for no such time-out. Default: 5 minutes.
  public var heartbeat: Duration? = .seconds(300)
  /// The wait before the first reconnection, unless the stream sets another with `retry`. Each reconnection without an
  /// event since the one before waits twice as long. Up to half is added at random. Default: 1 s.
  public var backoff: Duration = .seconds(1)
  /// The longest wait that `backoff` grows to. Default: 30 s.
  public var maxBackoff: Duration = .seconds(30)
  /// The longest wait that a server may ask for with `retry` or `Retry-After`; longer ones are shortened to it,
  /// before the random part.
  /// Default: 10 minutes.
  public var maxRetry: Duration = .seconds(600)
  /// True to send a request again whose method is not idempotent, such as POST, although the server may have acted on
  /// it. Otherwise such a stream ends with its first connection. With an idempotency key, up to three attempts are made to
  /// begin it. Default: false.
  public var repeatsUnsafeRequests = false
  /// The maximum length of a line, and of the data of one event, in bytes. A longer one ends the stream with an error
  /// (`bodyTooLarge`). Default: 1 MiB.
  public var limit = 1 << 20
  /// Tells when there is a network again, so that the stream reconnects at once. Nil to go by time only. Default: the
  /// system's.
  public var reachability: (any ReachabilityMonitor)? = Reachability.shared
  /// Called before each wait for a reconnection. An error that it throws ends the stream, so it can also limit the
  /// number of attempts. Default: nil.
  public var onReconnection: (@Sendable (EventReconnection) throws -> Void)?

  /// Creates the default settings.
  public init() {}
}

/// The reason and the time of an event stream's reconnection.
public struct EventReconnection: Sendable {
  /// The error that ended the connection, or because of which there was none; nil if the server closed it. A connection
  /// that was silent for too long has the code `timedOut`.
  public let error: RequestError?
  /// The number of connections since the last event, from 1.
  public let attempt: Int
  /// True if the stream has been open before.
  public let hasOpened: Bool
  /// The wait until the next connection. It ends early when the network comes back.
  public let delay: Duration
}
