#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes a second attempt beside the first if the response does not begin in time (`Request.hedged(after:)`).
///
/// The stage is within the retries, so that each attempt of the retry policy may have a second one, and a second
/// attempt is not retried. It comes before authentication, so that both attempts pass every stage that an attempt
/// passes: each is authenticated, traced and signed, takes a pass of the rate limits, and takes a slot.
///
/// Each of the two has a context derived from the call's (`CallContext.racing`), because contexts and stages are made
/// for one attempt at a time: the winner must be able to cancel the other without cancelling the call, and their
/// counts, progress and events must not mix. In events, the second attempt is another call, as a shared request is.
/// So the events of one call are still those of one attempt after the other, which listeners rely on.
final class HedgingStage: Stage {
  let usage: StageUsage
  let retries: RetryStage
  let slots: Slots
  let inFlight: InFlight
  let events: EventHolder
  let timeline: Timeline
  let isIntercepted: Bool
  let date: @Sendable () -> Date
  private let delay: HedgeDelay
  private let identity: ClientIdentity
  private let state = Locked(HedgingState())

  /// - Parameters:
  ///   - delay: The delay of requests without one; nil for no second attempts.
  ///   - isIntercepted: True if the client has interceptors.
  init(
    _ delay: HedgeDelay?, _ retries: RetryStage, _ slots: Slots, _ inFlight: InFlight, _ events: EventHolder,
    identity: ClientIdentity, timeline: Timeline, isIntercepted: Bool, date: @escaping @Sendable () -> Date
  ) {
    usage = delay == nil ? .requests(with: .hedging) : .everyRequest
    self.delay = delay ?? .never
    self.retries = retries
    self.slots = slots
    self.inFlight = inFlight
    self.events = events
    self.identity = identity
    self.timeline = timeline
    self.isIntercepted = isIntercepted
    self.date = date
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    let delay = request.options.hedging ?? delay
    if let problem = delay.problem {
      throw RequestError(.invalidRequest, message: problem, reachedServer: false)
    }
    guard delay.kind != .never, mayHedge(request, context) else { return try await next(request, context) }
    // Both attempts are sent for the same identity, and so are later ones of the call.
    _ = identity(context)
    if isIntercepted { context.giveUpSlot() }
    return try await HedgeRace(self, delay, request, context, next).perform()
  }

  private func mayHedge(_ request: Request, _ context: CallContext) -> Bool {
    // Two attempts would write one file. A caller with other limits, such as an outbox, counts on one request on
    // the wire, and a transport for one call has one response.
    !context.destination.isFile && !request.options.takesNoSlot && context.transport == nil
      && request.body.isReplayable && retries.mayRepeat(request)
  }

  // MARK: State

  func delay(_ delay: HedgeDelay, origin: String) -> Duration? {
    let now = timeline.now()
    return state.withLock { $0.delay(delay, origin: origin, at: now) }
  }

  func took(_ time: Duration, origin: String) {
    let now = timeline.now()
    state.withLock { $0.took(time, origin: origin, at: now) }
  }

  func rest(_ wait: Duration, origin: String) {
    let now = timeline.now()
    state.withLock { $0.rest(wait, origin: origin, at: now) }
  }

  func attempt() { state.withLock { $0.attempt() } }

  func begin(origin: String, isLate: Bool) -> HedgingState.Decision {
    let now = timeline.now()
    return state.withLock { $0.begin(origin: origin, isLate: isLate, at: now) }
  }

  func putBack() { state.withLock { $0.putBack() } }
}
