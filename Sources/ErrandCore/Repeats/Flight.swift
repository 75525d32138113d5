/// One request on the wire that several callers may wait for. Belongs to none of them: it has a signal of its own and the
/// highest of their priorities, and all of them may follow how far it is.
final class Flight: Sendable {
  /// The one whose work this task does. What an interceptor of it sends must not wait for it.
  @TaskLocal static var own: Flight?
  /// How long interceptors may have a request in hand that others have joined. One of these may be what an interceptor waits
  /// for in a task of which nobody knows whose it is, and that would never end.
  static var longestHold: Duration { .seconds(300) }

  private static let waits = Locked(FlightWaits())

  /// Stopped when everyone who waited has left.
  let signal = StopSignal()
  let progress = ProgressHub()
  let urgency: Urgency
  /// Settled when somebody has joined the first caller.
  let joined = Settlement<Void>()

  init(priority: Priority) { urgency = Urgency(priority) }

  /// A wait of one flight for another, which is no part of a circle.
  struct Wait: Sendable {
    fileprivate let flight: Flight
    fileprivate let other: Flight

    func end() { Flight.waits.withLock { $0.end(ObjectIdentifier(flight), for: ObjectIdentifier(other)) } }
  }

  /// To be asked before this task waits for `other`.
  /// - Returns: A wait that must be ended; nil if the task does no flight's work.
  /// - Throws: `WaitsForItself`, if that would never end.
  static func wait(for other: Flight) throws(WaitsForItself) -> Wait? {
    guard let flight = own else { return nil }
    let hasBegun = waits.withLock { $0.begin(ObjectIdentifier(flight), for: ObjectIdentifier(other)) }
    guard hasBegun else { throw WaitsForItself() }
    return Wait(flight: flight, other: other)
  }

  /// The flight that a caller would join waits for the one whose work the caller does.
  struct WaitsForItself: Error {}
}
