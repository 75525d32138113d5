/// What a client remembers of its repeats. Apart from `Repeats`, so that the alarm can clear up without keeping that alive.
final class RepeatStates<Answer: Sendable>: Sendable {
  typealias Caller = CheckedContinuation<Answer, any Error>

  let ignoring = Locked(IgnoreState())
  let sharing = Locked(ShareState<Answer, Flight, Caller>())
  let latest = Locked(LatestState<StopSignal>())

  init() {}

  /// Nothing is remembered.
  var isEmpty: Bool {
    ignoring.withLock { $0.isEmpty } && sharing.withLock { $0.isEmpty } && latest.withLock { $0.isEmpty }
  }

  /// How many keys are remembered, and deadlines of theirs.
  var count: Int {
    ignoring.withLock { $0.count } + sharing.withLock { $0.count } + latest.withLock { $0.count }
  }

  /// Forgets what is over; returns when to do so again.
  func expire(at now: Duration) -> Duration? {
    let next = [ignoring.withLock { $0.expire(at: now) }, sharing.withLock { $0.expire(at: now) }]
    return next.compactMap(\.self).min()
  }
}
