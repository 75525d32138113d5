#if Postgres
  /// Decides when to connect again after a failure. Pure: times are durations since any one start.
  struct ConnectBackoff: Sendable {
    private static let first = Duration.milliseconds(50)
    private static let longest = Duration.seconds(2)

    /// The failure of the last attempt; nil if that succeeded.
    private(set) var failure: PostgresFailure?
    /// When to connect again.
    private(set) var next = Duration.zero
    private var pause = Duration.zero

    func mayConnect(at now: Duration) -> Bool { now >= next }

    mutating func succeeded() {
      failure = nil
      pause = .zero
      next = .zero
    }

    /// Notes that an attempt failed, or that a connection ended.
    mutating func failed(_ failure: PostgresFailure, at now: Duration) {
      self.failure = failure
      pause = min(max(pause * 2, Self.first), Self.longest)
      next = now + pause
    }
  }
#endif
