import Synchronization

/// The slots of a client: so many of its requests are on the wire at once. Waiting costs no thread.
final class Slots: Sendable {
  private typealias State = SchedulerState<CheckedContinuation<Slot, any Error>>

  private let state: Locked<State>
  /// Read before the lock is taken, so that nobody's code works out an origin under it.
  private let countsOrigins: Atomic<Bool>
  private let timeline: Timeline

  init(_ limits: ConcurrencyLimits, _ timeline: Timeline) {
    state = Locked(State(limits))
    countsOrigins = Atomic(limits.perOrigin != nil)
    self.timeline = timeline
  }

  var load: SlotLoad { state.withLock { $0.load } }

  /// Lower ones let finish what runs; higher ones start who waits at once.
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

  /// Returns when there is a slot for the call; at once, if one is free or the call goes without. It must be released.
  /// - Parameter origin: Worked out only if there is a limit for each origin.
  /// - Throws: The call's outcome, as soon as it is called off while it waits.
  func acquire(
    origin: @autoclosure () -> String, urgency: Urgency, signal: StopSignal
  ) async throws -> Slot {
    if urgency.goesWithoutSlot { return .none }
    let origin = countsOrigins.load(ordering: .relaxed) ? origin() : nil
    let priority = urgency.current
    if let slot = state.withLock({ $0.startAtOnce(priority, origin: origin) }) { return slot }
    return try await wait(origin, urgency, signal)
  }

  func release(_ slot: Slot) {
    if slot == .none { return }
    resume(state.withLock { $0.finish(slot) })
  }

  private func wait(_ origin: String?, _ urgency: Urgency, _ signal: StopSignal) async throws -> Slot {
    var rises: Urgency.HandlerID?
    var stops: CancelHandlerID?
    defer {
      if let rises { urgency.removeRaiseHandler(rises) }
      if let stops { signal.removeStopHandler(stops) }
    }
    let slot = try await withCheckedThrowingContinuation { continuation in
      let (priority, now) = (urgency.current, timeline.now())
      switch state.withLock({ $0.arrive(continuation, priority, origin: origin, at: now) }) {
      case .started(let slot): continuation.resume(returning: slot)
      case .waiting(let ticket):
        if urgency.canRise {
          rises = urgency.onRaise { _ in self.hurry(ticket, urgency) }
          // It may have risen just before it was listened to.
          hurry(ticket, urgency)
        }
        stops = signal.onStop { self.leave(ticket, signal) }
      }
    }
    do {
      try signal.check()
      return slot
    } catch {
      // Called off at the moment at which its turn came.
      release(slot)
      throw error
    }
  }

  private func hurry(_ ticket: Ticket, _ urgency: Urgency) {
    if urgency.goesWithoutSlot {
      let continuation = state.withLock { $0.leave(ticket) }
      continuation?.resume(returning: .none)
    } else {
      resume(state.withLock { $0.raise(ticket, to: urgency.current) })
    }
  }

  /// Whoever takes the waiter out of the state resumes it, so it is done once.
  private func leave(_ ticket: Ticket, _ signal: StopSignal) {
    let continuation = state.withLock { $0.leave(ticket) }
    continuation?.resume(throwing: signal.stopped?.error ?? CancellationError())
  }

  private func resume(_ started: [State.Start]) {
    for start in started { start.payload.resume(returning: start.slot) }
  }
}
