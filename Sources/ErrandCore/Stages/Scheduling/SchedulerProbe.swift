/// Gives the benchmarks, which are a separate package, access to the scheduler.
@_spi(Benchmarks)
public struct SchedulerProbe: Sendable {
  /// A request that has a slot, or waits for one.
  public struct Place: Sendable {
    fileprivate let slot: Slot?
    fileprivate let ticket: Ticket?

    /// True if the request has a slot.
    public var isRunning: Bool { slot != nil }
  }

  /// Called for each request that starts.
  public typealias Starting = (_ number: Int, _ place: Place) -> Void

  private var state: SchedulerState<Int>

  /// Creates a scheduler without requests.
  public init(_ limits: ConcurrencyLimits) { state = SchedulerState(limits) }

  /// Starts a request if a slot is free, and lets it wait otherwise.
  public mutating func arrive(_ number: Int, _ priority: Priority, origin: String?, at now: Duration) -> Place
  {
    switch state.arrive(number, priority, origin: origin, at: now) {
    case .started(let slot): Place(slot: slot, ticket: nil)
    case .waiting(let ticket): Place(slot: nil, ticket: ticket)
    }
  }

  /// Releases the slot of a request, and starts waiting ones.
  public mutating func finish(_ place: Place, _ starting: Starting) {
    if let slot = place.slot { tell(state.finish(slot), starting) }
  }

  /// Removes a waiting request.
  public mutating func leave(_ place: Place) {
    if let ticket = place.ticket { _ = state.leave(ticket) }
  }

  /// Raises the priority of a waiting request, and starts requests that may start now.
  public mutating func raise(_ place: Place, to priority: Priority, _ starting: Starting) {
    if let ticket = place.ticket { tell(state.raise(ticket, to: priority), starting) }
  }

  private func tell(_ started: [SchedulerState<Int>.Start], _ starting: Starting) {
    for start in started { starting(start.payload, Place(slot: start.slot, ticket: nil)) }
  }

  /// Acquires and releases a slot `count` times in a row, with a slot free each time.
  public static func acquireAndRelease(_ count: Int, _ limits: ConcurrencyLimits) async throws {
    let slots = Slots(limits, Timeline(ContinuousClock()))
    let (effectivePriority, cancellation) = (EffectivePriority(.default), CancellationToken())
    for _ in 0..<count {
      slots.release(
        try await slots.acquire(
          origin: "a.example", effectivePriority: effectivePriority, cancellation: cancellation))
    }
  }
}
