#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One attempt of the retry policy that may be made twice at the same time.
///
/// The first attempt runs in the caller's task. The second one runs in the task of its timer, which inherits the
/// caller's task-local values. The last stage reports what happens to them (`HedgeLeg`).
final class HedgeRace: AttemptObserver {
  typealias Racer = HedgeRaceState.Racer

  /// A request of the first attempt that has no response yet.
  private struct Sent: Sendable {
    let at: Duration
    let origin: String
    /// The time after which a second attempt is due; nil if it is not known.
    let delay: Duration?
  }

  private struct State {
    var race = HedgeRaceState()
    var sent: Sent?
    /// True once a request of the first attempt was sent.
    var hasSent = false
    /// Waits for the time of the second attempt. Nil as soon as that has begun.
    var timer: Task<Void, Never>?
    /// The number of the timer that has begun the second attempt, and its delay.
    var begun: (timer: Int, after: Duration)?
    var second: CallContext?
    /// The error of the second attempt, once it has failed.
    var secondError: (any Error)?
    /// The outcome of the second attempt, until the call takes it: a transfer refers to its race, and its stream must
    /// not live as long as the transfer.
    var outcomeOfSecond: Result<Response, any Error>?
    /// True if the second attempt's requests are counted for the first attempt's context, or the other way round.
    var isCounted = false
  }

  private let stage: HedgingStage
  private let delay: HedgeDelay
  private let request: Request
  private let call: CallContext
  private let next: NextStage
  private let first: CallContext
  /// The number of requests that the call had sent before.
  private let base: Int
  private let records: (first: ForwardRecord, second: ForwardRecord)?
  private let state = Locked(State())
  private let endOfSecond = Promise<Void>()

  init(
    _ stage: HedgingStage, _ delay: HedgeDelay, _ request: Request, _ call: CallContext, _ next: NextStage
  ) {
    self.stage = stage
    self.delay = delay
    self.request = request
    self.call = call
    self.next = next
    base = call.sent
    first = call.racing(sent: base) { $0.cancellation = CancellationToken() }
    records = request.options.forwardRecord.map { ($0.value.branched(), $0.value.branched()) }
  }

  // MARK: The call

  /// Makes the attempt, and returns the response of the one that wins.
  func perform() async throws -> Response {
    let link = follow(first)
    let own: Result<Response, any Error>
    do { own = .success(try await performFirst()) } catch { own = .failure(error) }
    let outcome = await outcome(own)
    end(outcome, link)
    return try outcome.get()
  }

  private func performFirst() async throws -> Response {
    let request = request(of: .first)
    // An attempt that loses must not hold the call up, whatever its interceptors do.
    guard stage.isIntercepted else { return try await next(request, first) }
    return try await first.cancellation.interrupting(late: Self.drop) { [next, first] in
      try await next(request, first)
    }
  }

  /// Returns the outcome of the call's attempt when the first attempt has ended.
  private func outcome(_ own: Result<Response, any Error>) async -> Result<Response, any Error> {
    switch own {
    case .success(let response):
      if claim(.first) { return own }
      Self.drop(response)
      return await waitForSecond()
    case .failure(let error):
      noteEnd(of: error)
      let (waits, unsent, timer) = state.withLock { state in
        let waits = state.race.firstFails()
        defer { state.timer = nil }
        return (waits, waits ? nil : state.second, state.timer)
      }
      timer?.cancel()
      guard waits else {
        // It has not been sent, and the retry policy decides about further attempts.
        unsent?.cancellation.cancel(.cancelled(.other("the first attempt has failed")))
        return .failure(failure(error))
      }
      let second = await waitForSecond()
      guard case .failure = second, state.withLock({ $0.race.winner }) == nil, call.cancellation.cause == nil
      else { return second }
      return .failure(failure(error))
    }
  }

  /// Returns the error of the call: that of the first attempt, or that of the second if its response asks to wait longer,
  /// because a retry must wait then. It says whether either of the two has reached the server.
  private func failure(_ error: any Error) -> any Error {
    guard var error = error as? RequestError, let second = state.withLock({ $0.secondError }) else {
      return error
    }
    let other = second as? RequestError
    if let other, wait(of: other) > wait(of: error) {
      let attempt = error.attempt
      error = other
      error.attempt = attempt
    }
    if other?.reachedServer != false { error.reachedServer = true }
    return error
  }

  /// Returns how long the response of a failed attempt asks to wait.
  private func wait(of error: RequestError) -> Duration {
    error.fields.flatMap { RetryAfter(of: $0) }?.wait(from: stage.date()) ?? .zero
  }

  private func waitForSecond() async -> Result<Response, any Error> {
    do { try await endOfSecond.value(unless: call.cancellation) } catch { return .failure(error) }
    return state.withLock { $0.outcomeOfSecond.take() } ?? .failure(CancellationError())
  }

  /// Gives the call what the attempts leave behind.
  /// - Parameter link: The handler that cancels the first attempt with the call.
  private func end(_ outcome: Result<Response, any Error>, _ link: CancelHandlerID) {
    let (winner, second, isCounted) = state.withLock { ($0.race.winner, $0.second, $0.isCounted) }
    call.takeOver(from: first)
    if let second { call.takeOver(from: second) }
    let (own, other) = (first.sent, second?.sent ?? 0)
    call.countSent((isCounted ? (winner == .second ? other : own) : own + other) - base)
    if let records {
      request.options.forwardRecord?.value.count(winner == .second ? records.second : records.first)
    }
    if winner != .second, case .success(let response) = outcome, case .chunks(let stream) = response.body {
      // The call cancels the attempt until the last byte has arrived.
      stream.onEnd { [call] in call.cancellation.removeCancelHandler(link) }
    } else {
      call.cancellation.removeCancelHandler(link)
    }
  }

  /// Cancels an attempt with its call.
  private func follow(_ context: CallContext) -> CancelHandlerID {
    let (own, other) = (call.cancellation, context.cancellation)
    return own.onCancel(preparing: { [weak own] cause in
      // Before the call's error is made, which says whether the server may have the request.
      if other.mayHaveSent { own?.markSent() }
      return other.prepareCancel(cause)
    })
  }

  private func request(of racer: Racer) -> Request {
    var request = request
    request.options.hedgeLeg = HedgeLeg(race: self, racer: racer)
    if let records {
      request.options.forwardRecord = OnlyItself(racer == .first ? records.first : records.second)
    }
    return request
  }

  private static func drop(_ response: Response) {
    if case .chunks(let stream) = response.body { stream.cancellation.cancel(.cancelled(.streamDropped)) }
  }

  // MARK: The second attempt

  /// Waits until the second attempt is due, and makes it.
  private func startTimer(_ number: Int, _ wait: Duration) {
    let timer = Task { [self, stage] in
      do { try await stage.timeline.sleep(wait) } catch { return }
      await begin(number, after: wait)
    }
    let isLate = state.withLock { state in
      if state.race.isArmed(number) { state.timer = timer }
      // The attempt may have got its response meanwhile, but the timer may also make the second attempt already.
      return !state.race.isArmed(number) && state.begun?.timer != number
    }
    if isLate { timer.cancel() }
  }

  private func begin(_ number: Int, after wait: Duration) async {
    guard let waited = await waitForBudget(number, after: wait) else { return }
    let begins = state.withLock { state in
      guard state.race.begin(number) else { return false }
      (state.timer, state.begun) = (nil, (number, waited))
      return true
    }
    guard begins else { return stage.putBack() }
    let context = makeSecond()
    let link = follow(context)
    let result: Result<Response, any Error>
    do {
      result = .success(try await performSecond(context))
    } catch {
      let error = context.cancellation.failure ?? error
      result = .failure(error)
      state.withLock { state in
        state.race.secondFails()
        state.secondError = error
      }
    }
    if context.sent == 0 { stage.putBack() }
    end(context, result, link)
    state.withLock { $0.outcomeOfSecond = result }
    endOfSecond.settle(.success(()))
  }

  /// Returns how long the second attempt has waited when it is taken out of the budget; nil if it is not made.
  private func waitForBudget(_ number: Int, after wait: Duration) async -> Duration? {
    // It begins with the call's request, even if the first attempt has followed a redirect.
    let origin = request.address.originName
    for isLate in [false, true] {
      guard state.withLock({ $0.race.isArmed(number) }),
        stage.slots.hasFree(call.effectivePriority, origin: origin)
      else { return nil }
      switch stage.begin(origin: origin, isLate: isLate) {
      case .now: return isLate ? wait * 2 : wait
      case .later: do { try await stage.timeline.sleep(wait) } catch { return nil }
      case .never: return nil
      }
    }
    return nil
  }

  /// Returns the second attempt's context. It never waits for a slot or the rate limits, so that it delays no other
  /// request.
  private func makeSecond() -> CallContext {
    let parent = call.events?.trace?.context ?? TraceContext.current
    let events = call.events.flatMap { events in
      TraceContext.$current.withValue(parent) {
        stage.events.source?.begin(request, in: events.scope, for: .hedge)
      }
    }
    let context = first.racing(sent: 0) { second in
      second.cancellation = CancellationToken()
      second.effectivePriority = EffectivePriority(
        call.effectivePriority.current, canChange: false, mayWait: false)
      // Its progress is shown only if it wins.
      second.progress = call.progress.map { _ in ProgressHub() }
      second.events = events
    }
    if call.effectivePriority.goesWithoutSlot { context.effectivePriority.goWithoutSlot() }
    return context
  }

  private func performSecond(_ context: CallContext) async throws -> Response {
    try context.enter(stage.inFlight, asPart: true)
    let isLate = state.withLock { state in
      state.second = context
      return !state.race.mayGoOn
    }
    if isLate { throw context.cancellation.refused("the first attempt has ended") }
    let response = try await next(request(of: .second), context)
    if claim(.second) { return response }
    Self.drop(response)
    throw context.cancellation.refused("the first attempt has ended")
  }

  /// Ends the second attempt's context, or lets it end with its stream.
  private func end(_ context: CallContext, _ result: Result<Response, any Error>, _ link: CancelHandlerID) {
    let end: @Sendable () -> Void = { [call] in
      call.cancellation.removeCancelHandler(link)
      context.end()
    }
    switch result {
    case .success(let response):
      guard case .chunks(let stream) = response.body else {
        end()
        context.events?.finished(response)
        return
      }
      stream.onEnd { [stream = stream.observed, response = response.observed] in
        end()
        if let error = stream.failure {
          context.events?.failed(context.cancellation.failure ?? error)
        } else {
          context.events?.finished(response)
        }
      }
    case .failure(let error):
      end()
      context.events?.failed(error)
    }
  }

  // MARK: Reports of the last stage

  /// An attempt sends a request: its first, or that after a redirect or a refused credential.
  /// - Throws: The reason why the attempt must not send.
  func isSent(_ request: Request, by racer: Racer) throws {
    switch racer {
    case .first: arm(request)
    case .second: try sendSecond(request)
    }
  }

  private func arm(_ request: Request) {
    let origin = request.address.originName
    let delay = stage.delay(delay, origin: origin)
    let now = stage.timeline.now()
    let (number, timer, isFirst) = state.withLock { state in
      state.sent = Sent(at: now, origin: origin, delay: delay)
      defer { (state.timer, state.hasSent) = (nil, true) }
      return (delay == nil ? nil : state.race.arm(), state.timer, !state.hasSent)
    }
    timer?.cancel()
    if isFirst { stage.attempt() }
    if let number, let delay { startTimer(number, delay) }
  }

  private func sendSecond(_ request: Request) throws {
    let (context, isSent, isFirst, wait) = state.withLock { state in
      (state.second, state.race.sendSecond(), state.second?.sent == 0, state.begun?.after)
    }
    guard let context else { return }
    guard isSent else { throw context.cancellation.refused("the first attempt has ended") }
    guard isFirst else { return }
    // An interceptor may have made another request of it.
    guard stage.retries.mayRepeat(request), request.body.isReplayable else {
      throw context.cancellation.refused("the request must not be sent twice")
    }
    guard stage.retries.takeSecondAttempt() else {
      throw context.cancellation.refused("the retry budget is used up")
    }
    if let events = context.events { call.events?.tell(.hedged(by: events.id, after: wait ?? .zero)) }
  }

  /// The head of a response has arrived.
  func responds(_ head: ResponseHead, to request: Request, of racer: Racer) {
    let isBusy = head.status == 429 || head.status == 503
    if isBusy, let wait = RetryAfter(of: head.fields)?.wait(from: stage.date()) {
      stage.rest(wait, origin: request.address.originName)
    }
    guard racer == .first else { return }
    let (sent, timer) = state.withLock { state in
      state.race.disarm()
      defer { (state.sent, state.timer) = (nil, nil) }
      return (state.sent, state.timer)
    }
    timer?.cancel()
    // A server in trouble refuses quickly, which says nothing about its responses.
    if let sent, head.status.code < 500, head.status != 429 {
      stage.took(stage.timeline.now() - sent.at, origin: sent.origin)
    }
  }

  /// The response of an attempt is accepted. Returns false if the other one has won.
  func claim(_ racer: Racer) -> Bool {
    let first = first
    let (claim, second, timer) = state.withLock { state in
      let claim = state.race.claim(racer)
      let loser = racer == .first ? state.second : first
      if claim == .won, let second = state.second, let loser {
        // The response says how many requests were sent.
        let other = loser === first ? first.sent : second.sent
        (racer == .first ? first : second).countSent(other)
        state.isCounted = true
      }
      defer { if claim == .won { state.timer = nil } }
      return (claim, state.second, claim == .won ? state.timer : nil)
    }
    timer?.cancel()
    guard claim == .won else { return claim == .hasWon }
    guard let second else { return true }
    switch racer {
    case .first: second.cancellation.cancel(.cancelled(.overtaken))
    case .second:
      noteEnd(of: nil)
      if let events = second.events { call.events?.overtaken(by: events.id) }
      if let progress = call.progress { second.progress?.listen { progress.follow($0) } }
      first.cancellation.cancel(.cancelled(.overtaken))
    }
    return true
  }

  /// Measures a first attempt that ends without a response. It would have taken at least as long as it ran. That says
  /// something about a percentile only if it is longer.
  /// - Parameter error: The error of the attempt; nil if the second one has won.
  private func noteEnd(of error: (any Error)?) {
    guard let sent = state.withLock({ $0.sent.take() }), let delay = sent.delay else { return }
    let time = stage.timeline.now() - sent.at
    let code = (error as? RequestError)?.code
    let isCutShort = error == nil || code == .timedOut || first.cancellation.cause != nil
    if isCutShort, time >= delay { stage.took(time, origin: sent.origin) }
  }
}
