/// Handles the repeats of one client's requests: it ignores them, lets them share a response, or lets the
/// newest win.
final class Coalescer<Value: Sendable>: Sendable {
  let timeline: Timeline
  let states = CoalescingStates<Value>()
  /// Returns true if an outcome may be given to callers that arrive after it.
  let mayReplay: @Sendable (Result<Value, any Error>) -> Bool
  private let timer: DeadlineTimer

  init(
    _ timeline: Timeline, mayReplay: @escaping @Sendable (Result<Value, any Error>) -> Bool = { _ in true }
  ) {
    self.timeline = timeline
    self.mayReplay = mayReplay
    timer = DeadlineTimer(timeline) { [states] now in states.expire(at: now) }
  }

  /// Lets a request pass, unless the same request passed within its window. Returns the time at which the new
  /// window began.
  /// - Throws: `RequestError` (`ignoredRepeat`), if the request is a repeat.
  @discardableResult
  func admit(_ key: RequestKey, within interval: Duration) throws(RequestError) -> Duration {
    let now = timeline.now()
    switch states.ignoring.withLock({ $0.admit(key, within: interval, at: now) }) {
    case .send(let timer): wake(at: timer)
    case .ignore(let sent, let window):
      throw RequestError(
        .ignoredRepeat,
        message: "the same request was sent \(sent.formattedSeconds) ago, "
          + "and its repeats are ignored for \(window.formattedSeconds)",
        reachedServer: false)
    }
    return now
  }

  /// Closes the window of a request that was never sent.
  func close(_ key: RequestKey, began: Duration) {
    states.ignoring.withLock { $0.close(key, began: began) }
  }

  /// Makes a call the newest of its key until it ends, and cancels the previous one. A call that is cancelled
  /// before it returns its response does not return it, even if the bytes have arrived.
  func begin(latest key: RequestKey, _ cancellation: CancellationToken)
    -> LatestState<CancellationToken>.Place
  {
    let (place, superseded) = states.latest.withLock { $0.begin(key, cancellation) }
    superseded?.cancel(.cancelled(.superseded))
    return place
  }

  func end(latest place: LatestState<CancellationToken>.Place) {
    _ = states.latest.withLock { $0.end(place) }
  }

  /// Sets the timer for the next expiry.
  func wake(at due: Duration?) {
    if let due { timer.set(for: due) }
  }
}

/// The state of a client's repeats. It is separate from `Coalescer`, so that the deadline timer can expire it
/// without keeping `Coalescer` alive.
final class CoalescingStates<Value: Sendable>: Sendable {
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

  /// Removes expired state. Returns the time of the next call.
  func expire(at now: Duration) -> Duration? {
    let next = [ignoring.withLock { $0.expire(at: now) }, sharing.withLock { $0.expire(at: now) }]
    return next.compactMap(\.self).min()
  }
}

/// Tracks which call is the newest of its key. Pure.
struct LatestState<Call: Sendable>: Sendable {
  /// A call's place, which is valid until another call takes it.
  struct Place: Sendable, Hashable {
    fileprivate let key: RequestKey
    fileprivate let number: UInt64
  }

  private var newest: [RequestKey: (number: UInt64, call: Call)] = [:]
  private var lastNumber: UInt64 = 0

  var count: Int { newest.count }
  var isEmpty: Bool { newest.isEmpty }

  /// Begins a call. Returns its place, and the call that it supersedes, which must be cancelled.
  mutating func begin(_ key: RequestKey, _ call: Call) -> (place: Place, superseded: Call?) {
    lastNumber += 1
    let superseded = newest.updateValue((lastNumber, call), forKey: key)?.call
    return (Place(key: key, number: lastNumber), superseded)
  }

  /// Ends a call. Returns false, and changes nothing, if the call was superseded before and therefore has no
  /// response.
  mutating func end(_ place: Place) -> Bool {
    guard let index = newest.index(forKey: place.key), newest.values[index].number == place.number else {
      return false
    }
    newest.remove(at: index)
    return true
  }
}
