/// One request on the wire that several callers may wait for. It does not belong to any of them: it has its
/// cancellation token and the highest of their priorities, and every caller may follow its progress.
final class InFlightRequest: Sendable {
  /// The in-flight request that this task works for. A request that its interceptors send must not wait for
  /// it.
  @TaskLocal static var own: InFlightRequest?
  /// How long interceptors may hold a request that other callers have joined. An interceptor may wait for one
  /// of these callers in a task that does not inherit `own`. Such a cycle is not detected, and would never
  /// end.
  static var longestHold: Duration { .seconds(300) }

  private static let waits = Locked(InFlightWaits())

  /// The number of the request in its events.
  let id = CallCounter.next()
  /// Cancelled when all callers have left.
  let cancellation = CancellationToken()
  let progress = ProgressHub()
  let effectivePriority: EffectivePriority
  /// Fulfilled when a second caller has joined; nil if the request is not watched.
  let joined: Promise<Void>?

  /// - Parameter isWatched: True if a watch limits how long interceptors hold the request.
  init(priority: Priority, isWatched: Bool) {
    effectivePriority = EffectivePriority(priority)
    joined = isWatched ? Promise() : nil
  }

  /// A wait of one in-flight request for another, which does not close a cycle.
  struct Wait: Sendable {
    fileprivate let inFlightRequest: InFlightRequest
    fileprivate let other: InFlightRequest

    func end() {
      InFlightRequest.waits.withLock {
        $0.end(ObjectIdentifier(inFlightRequest), for: ObjectIdentifier(other))
      }
    }
  }

  /// Begins a wait. Called before this task waits for `other`.
  /// - Returns: A wait that must be ended; nil if the task works for no in-flight request.
  /// - Throws: `WaitsForItself`, if the wait would never end.
  static func wait(for other: InFlightRequest) throws(WaitsForItself) -> Wait? {
    guard let inFlightRequest = own else { return nil }
    let hasBegun = waits.withLock {
      $0.begin(ObjectIdentifier(inFlightRequest), for: ObjectIdentifier(other))
    }
    guard hasBegun else { throw WaitsForItself() }
    return Wait(inFlightRequest: inFlightRequest, other: other)
  }

  /// The error of a caller that would join an in-flight request that waits for the caller's own in-flight
  /// request.
  struct WaitsForItself: Error {}
}

/// Tracks which in-flight requests wait for which others: an interceptor of one may send a request that
/// shares another. Pure. All clients share one instance, because requests of two clients may wait for each
/// other.
///
/// A wait that would close a cycle is refused, because a cycle never ends. Only requests that an interceptor
/// sends in its own task are known to be sent on behalf of its in-flight request.
struct InFlightWaits: Sendable {
  /// For each in-flight request, the requests that it waits for, and how often.
  private var waits: [ObjectIdentifier: [ObjectIdentifier: Int]] = [:]

  var isEmpty: Bool { waits.isEmpty }

  /// Begins a wait. Returns false, and changes nothing, if both are the same, or if the other waits for this
  /// one, directly or through others.
  mutating func begin(_ inFlightRequest: ObjectIdentifier, for other: ObjectIdentifier) -> Bool {
    if reaches(inFlightRequest, from: other) { return false }
    waits[inFlightRequest, default: [:]][other, default: 0] += 1
    return true
  }

  mutating func end(_ inFlightRequest: ObjectIdentifier, for other: ObjectIdentifier) {
    guard let count = waits[inFlightRequest]?[other] else { return }
    waits[inFlightRequest]?[other] = count > 1 ? count - 1 : nil
    if waits[inFlightRequest]?.isEmpty == true { waits[inFlightRequest] = nil }
  }

  private func reaches(_ goal: ObjectIdentifier, from start: ObjectIdentifier) -> Bool {
    var (open, seen) = ([start], Set([start]))
    while let inFlightRequest = open.popLast() {
      if inFlightRequest == goal { return true }
      for next in waits[inFlightRequest, default: [:]].keys where seen.insert(next).inserted {
        open.append(next)
      }
    }
    return false
  }
}
