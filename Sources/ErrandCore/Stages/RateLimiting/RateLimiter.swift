/// Lets attempts wait until the rate limits of a client allow them. Waiting attempts use no thread.
final class RateLimiter: Sendable {
  typealias State = RateLimiterState<CheckedContinuation<RatePass, any Error>>

  /// Separate, so that the timer does not keep `RateLimiter` alive.
  private final class Gates: Sendable {
    private let state: Locked<State>

    init(_ state: State) { self.state = Locked(state) }

    var waiting: Int { state.withLock { $0.waiting } }
    var inFlight: Int { state.withLock { $0.inFlight } }
    var count: Int { state.withLock { $0.count } }

    func leave(_ ticket: Ticket) -> CheckedContinuation<RatePass, any Error>? {
      state.withLock { $0.leave(ticket) }
    }

    func move(_ ticket: Ticket, to priority: Priority) {
      state.withLock { $0.move(ticket, to: priority) }
    }

    /// Changes the state, and resumes the attempts that start. Returns the next alarm, too.
    func change<Result: Sendable>(_ body: (inout State) -> (Result, [State.Start])) -> (
      Result, alarm: Duration?
    ) {
      let (result, started, alarm) = state.withLock { state in
        let (result, started) = body(&state)
        return (result, started, state.nextAlarm)
      }
      for start in started { start.payload.resume(returning: start.pass) }
      return (result, alarm)
    }
  }

  private let gates: Gates
  private let timeline: Timeline
  private let timer: DeadlineTimer

  init(_ limits: RateLimits, ageing: Duration, _ timeline: Timeline) {
    let gates = Gates(State(ageing: ageing, longestQuota: limits.maxServerWait))
    self.gates = gates
    self.timeline = timeline
    timer = DeadlineTimer(timeline) { now in gates.change { ((), $0.advance(to: now)) }.alarm }
  }

  /// The number of waiting attempts, for tests.
  var waiting: Int { gates.waiting }
  /// The number of attempts in flight, for tests.
  var inFlight: Int { gates.inFlight }
  /// The number of origins and groups that are remembered, for tests.
  var count: Int { gates.count }

  /// Returns a pass for an attempt. The caller must tell when the attempt begins, and then when it ends, or put the pass
  /// back.
  /// - Throws: The call's outcome, as soon as it is cancelled while it waits.
  func acquire(
    _ subject: RateSubject, effectivePriority: EffectivePriority, cancellation: CancellationToken,
    events: CallEvents? = nil
  ) async throws -> RatePass {
    let now = timeline.now()
    if let pass = change({ $0.passAtOnce(subject, at: now) }) { return pass }
    if !effectivePriority.mayWait {
      throw cancellation.refused("the rate limits allow no second attempt at once")
    }
    // This event comes before the call is in line, because another thread may then continue with the call at
    // any moment.
    events?.tell(.waiting(.rateLimit))
    defer { events?.tell(.waited(.rateLimit)) }
    return try await wait(effectivePriority, cancellation) { waiter, priority in
      let now = timeline.now()
      return change { $0.arrive(waiter, priority, subject, at: now) }
    }
  }

  /// Notes that the attempt of a pass begins.
  func begin(_ pass: RatePass) {
    let now = timeline.now()
    change { ((), $0.begin(pass, at: now)) }
  }

  /// Holds the tokens of a pass again, after `begin`.
  func holdAgain(_ pass: RatePass) {
    let now = timeline.now()
    change { ($0.holdAgain(pass, at: now), []) }
  }

  /// Takes back the pass of an attempt that has begun.
  /// - Parameters:
  ///   - reports: The quotas in the response.
  ///   - speaker: The name of the origin that sent the response; nil if it is that of the pass.
  func finish(_ pass: RatePass, _ reports: [ServerQuota.Report] = [], from speaker: String? = nil) {
    let now = timeline.now()
    change { ((), $0.finish(pass, reports, from: speaker, at: now)) }
  }

  @discardableResult
  private func change<Result: Sendable>(_ body: (inout State) -> (Result, [State.Start])) -> Result {
    let (result, alarm) = gates.change(body)
    if let alarm { timer.set(for: alarm) }
    return result
  }
}

extension RateLimiter: WaitQueue {
  /// Nil: a call that goes without a slot obeys the rate limits.
  var permitWithoutSlot: RatePass? { nil }

  func move(_ ticket: Ticket, to priority: Priority) { gates.move(ticket, to: priority) }

  func leave(_ ticket: Ticket) -> CheckedContinuation<RatePass, any Error>? { gates.leave(ticket) }

  func putBack(_ pass: RatePass) {
    let now = timeline.now()
    change { ((), $0.putBack(pass, at: now)) }
  }
}
