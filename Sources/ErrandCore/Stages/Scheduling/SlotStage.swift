import Synchronization

/// Waits for a slot. A call has no slot between attempts, and then queues at the tail of its priority. It
/// also has no slot while an interceptor holds it, so that nothing that the interceptor waits for can wait
/// for this slot.
final class SlotStage: Stage {
  let usage = StageUsage.everyRequest
  private let slots: Slots
  private let timeline: Timeline
  private let isIntercepted: Bool

  /// - Parameter isIntercepted: True if the client has interceptors.
  init(_ slots: Slots, _ timeline: Timeline, isIntercepted: Bool) {
    self.slots = slots
    self.timeline = timeline
    self.isIntercepted = isIntercepted
  }

  @inline(__always)
  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    if isIntercepted { context.giveUpSlot() }
    let slot = try await slots.acquire(
      origin: request.address.originName, effectivePriority: context.effectivePriority,
      cancellation: context.cancellation, events: context.events)
    do {
      let response = try await next(request, context)
      if case .chunks(let stream) = response.body {
        hold(slot, for: stream, context)
      } else {
        slots.release(slot)
      }
      return response
    } catch {
      slots.release(slot)
      // A redirect that must be signed, or a refused `Expect`, continues the attempt outside of the slot.
      let continues = error is SignedRedirect || error is ExpectationFailed
      if let events = context.events, !continues {
        events.attemptFailed(context.cancellation.failure ?? error)
      }
      throw error
    }
  }

  private func hold(_ slot: Slot, for stream: ByteStream, _ context: CallContext) {
    guard isIntercepted else { return stream.onEnd { [slots] in slots.release(slot) } }
    let lease = SlotLease(slot, of: stream.cancellation, slots, timeline)
    stream.onEnd { lease.release() }
    context.hold(lease)
  }
}

/// The slots of a client, which limit how many of its requests are on the wire at once. Waiting requests use
/// no thread.
final class Slots: Sendable {
  private typealias State = SchedulerState<CheckedContinuation<Slot, any Error>>

  private let state: Locked<State>
  /// Read before the lock is taken, so that the origin is not computed under it.
  private let countsOrigins: Atomic<Bool>
  private let timeline: Timeline

  init(_ limits: ConcurrencyLimits, _ timeline: Timeline) {
    state = Locked(State(limits))
    countsOrigins = Atomic(limits.perOrigin != nil)
    self.timeline = timeline
  }

  var load: SlotLoad { state.withLock { $0.load } }

  /// The limits. Lower limits let running requests finish; higher limits start waiting requests at once.
  var limits: ConcurrencyLimits {
    get { state.withLock { $0.limits } }
    set {
      let started = state.withLock { state in
        countsOrigins.store(newValue.perOrigin != nil, ordering: .relaxed)
        return state.setLimits(newValue)
      }
      resume(started)
    }
  }

  /// Returns a slot for the call, which the caller must release. Returns at once if a slot is free, or if the
  /// call proceeds without one.
  /// - Parameter origin: Computed only if there is a limit per origin.
  /// - Throws: The call's outcome, as soon as it is cancelled while it waits.
  func acquire(
    origin: @autoclosure () -> String, effectivePriority: EffectivePriority,
    cancellation: CancellationToken, events: CallEvents? = nil
  ) async throws -> Slot {
    if effectivePriority.goesWithoutSlot { return .none }
    let origin = countsOrigins.load(ordering: .relaxed) ? origin() : nil
    let priority = effectivePriority.current
    if let slot = state.withLock({ $0.startAtOnce(priority, origin: origin) }) { return slot }
    if !effectivePriority.mayWait { throw cancellation.refused("no slot is free for a second attempt") }
    // This event comes before the call is in line, because another thread may then continue with the call at
    // any moment.
    events?.tell(.waiting(.slot))
    defer { events?.tell(.waited(.slot)) }
    return try await wait(effectivePriority, cancellation) { waiter, priority in
      let now = timeline.now()
      return state.withLock { $0.arrive(waiter, priority, origin: origin, at: now) }
    }
  }

  /// Returns true if a request would get a slot at once.
  func hasFree(_ effectivePriority: EffectivePriority, origin: @autoclosure () -> String) -> Bool {
    if effectivePriority.goesWithoutSlot { return true }
    let origin = countsOrigins.load(ordering: .relaxed) ? origin() : nil
    let priority = effectivePriority.current
    return state.withLock { $0.hasFree(priority, origin: origin) }
  }

  func release(_ slot: Slot) {
    if slot == .none { return }
    resume(state.withLock { $0.finish(slot) })
  }

  private func resume(_ started: [State.Start]) {
    for start in started { start.payload.resume(returning: start.slot) }
  }
}

extension Slots: WaitQueue {
  var permitWithoutSlot: Slot? { Slot.none }

  func move(_ ticket: Ticket, to priority: Priority) {
    resume(state.withLock { $0.move(ticket, to: priority) })
  }

  func leave(_ ticket: Ticket) -> CheckedContinuation<Slot, any Error>? {
    state.withLock { $0.leave(ticket) }
  }

  func putBack(_ slot: Slot) { release(slot) }
}

/// The limits on the number of a client's requests that are on the wire at once. Requests over a limit wait,
/// without a thread. They start in the order of their priority, and first in, first out within one priority.
/// A limit below 1 counts as 1.
public struct ConcurrencyLimits: Sendable, Hashable {
  /// The maximum number of requests in all, or nil for no limit. Default: 64.
  public var total: Int? = 64
  /// The maximum number of requests to one origin (scheme, host and port), or nil for no limit of that kind.
  /// An origin at its limit does not hold up others. Redirects count for the origin of the first request. A
  /// changed limit applies to requests that are sent afterwards. Default: 4.
  public var perOrigin: Int? = 4
  /// The maximum number of event streams of one origin, or nil for no limit. They take no slots of `total` and
  /// `perOrigin`, also while they wait to reconnect. Further ones wait until another ends. Default: 100.
  public var eventStreams: Int? = 100
  /// How many slots of `total`, and of `perOrigin`, are reserved. `utility` and `background` never take them,
  /// so that requests that a person waits for do not queue behind them. One slot always remains for all.
  /// Default: 2.
  ///
  /// The default is measured (`Benchmarks`, `scheduling`): four slots, an endless flood of requests of 1 s
  /// each, and pages that ask for one to six responses of 0.2 s each. With 0, 1, 2 and 3 reserved slots, 95 %
  /// of the pages' requests began within 1.4, 0.9, 0.5 and 0.3 s (0.1 s without a flood). The flood got 3.6,
  /// 2.9, 2.0 and 1.0 requests a second.
  public var reserved = 2
  /// A request that has waited this long counts as if it had the next higher priority and had just arrived,
  /// and so on upwards, so that no request waits for ever. By age, `utility` and `background` overtake higher
  /// priorities with at most one of eight starts, and they never use the reserved slots. Default: 5 s.
  public var ageing: Duration = .seconds(5)

  /// Creates limits.
  /// - Parameters:
  ///   - total: The maximum number of requests in all, or nil for no limit. Default: 64.
  ///   - perOrigin: The maximum number of requests to one origin, or nil for no limit. Default: 4.
  public init(total: Int? = 64, perOrigin: Int? = 4) {
    self.total = total
    self.perOrigin = perOrigin
  }

  /// The limits under which no request waits.
  public static let unlimited: ConcurrencyLimits = {
    var limits = ConcurrencyLimits(total: nil, perOrigin: nil)
    limits.eventStreams = nil
    return limits
  }()

  /// The limits of subscriptions, none of whose slots are reserved.
  var ofSubscriptions: ConcurrencyLimits {
    var limits = ConcurrencyLimits(total: nil, perOrigin: eventStreams)
    limits.reserved = 0
    return limits
  }
}
