/// One request on the wire that several callers may wait for. It belongs to none of them: it has a
/// cancellation token of its own and the highest of their priorities, and every caller may follow its
/// progress.
final class InFlightRequest: Sendable {
  /// The in-flight request that this task works for. A request that its interceptors send must not wait for
  /// it.
  @TaskLocal static var own: InFlightRequest?
  /// How long interceptors may hold a request that other callers have joined. An interceptor may wait for one
  /// of these callers in a task that does not inherit `own`; such a cycle is not detected, and would never
  /// end.
  static var longestHold: Duration { .seconds(300) }

  private static let waits = Locked(FlightWaits())

  /// Cancelled when every caller that waited has left.
  let cancellation = CancellationToken()
  let progress = ProgressHub()
  let effectivePriority: EffectivePriority
  /// Fulfilled when a second caller has joined.
  let joined = Promise<Void>()

  init(priority: Priority) { effectivePriority = EffectivePriority(priority) }

  /// A wait of one in-flight request for another, which is no part of a cycle.
  struct Wait: Sendable {
    fileprivate let inFlightRequest: InFlightRequest
    fileprivate let other: InFlightRequest

    func end() {
      InFlightRequest.waits.withLock {
        $0.end(ObjectIdentifier(inFlightRequest), for: ObjectIdentifier(other))
      }
    }
  }

  /// Begins a wait; called before this task waits for `other`.
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

  /// The in-flight request that a caller would join waits for the one that the caller works for.
  struct WaitsForItself: Error {}
}
