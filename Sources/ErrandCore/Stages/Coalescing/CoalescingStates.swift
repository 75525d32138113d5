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
