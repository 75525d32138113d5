/// The state of a client's repeats. Separate from `Repeats`, so that the deadline timer can expire it without
/// keeping `Repeats` alive.
final class RepeatStates<Value: Sendable>: Sendable {
  typealias Caller = CheckedContinuation<Value, any Error>

  let ignoring = Locked(IgnoreState())
  let sharing = Locked(ShareState<Value, InFlightRequest, Caller>())
  let latest = Locked(LatestState<CancellationToken>())

  init() {}

  /// True if nothing is stored.
  var isEmpty: Bool {
    ignoring.withLock { $0.isEmpty } && sharing.withLock { $0.isEmpty } && latest.withLock { $0.isEmpty }
  }

  /// The number of stored keys and deadlines.
  var count: Int {
    ignoring.withLock { $0.count } + sharing.withLock { $0.count } + latest.withLock { $0.count }
  }

  /// Forgets what is over; returns when to call this again.
  func expire(at now: Duration) -> Duration? {
    let next = [ignoring.withLock { $0.expire(at: now) }, sharing.withLock { $0.expire(at: now) }]
    return next.compactMap(\.self).min()
  }
}
