import Synchronization

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
    // This event comes before the call is in line, because another thread may then continue with the call at
    // any moment.
    events?.tell(.waiting(.slot))
    defer { events?.tell(.waited(.slot)) }
    return try await wait(origin, effectivePriority, cancellation)
  }

  func release(_ slot: Slot) {
    if slot == .none { return }
    resume(state.withLock { $0.finish(slot) })
  }

  private func wait(
    _ origin: String?, _ effectivePriority: EffectivePriority, _ cancellation: CancellationToken
  ) async throws -> Slot {
    var changes: EffectivePriority.HandlerID?
    var stops: CancelHandlerID?
    defer {
      if let changes { effectivePriority.removeChangeHandler(changes) }
      if let stops { cancellation.removeCancelHandler(stops) }
    }
    let slot = try await withCheckedThrowingContinuation { continuation in
      let (priority, now) = (effectivePriority.current, timeline.now())
      switch state.withLock({ $0.arrive(continuation, priority, origin: origin, at: now) }) {
      case .started(let slot): continuation.resume(returning: slot)
      case .waiting(let ticket):
        if effectivePriority.canChange {
          changes = effectivePriority.onChange { _ in self.move(ticket, effectivePriority) }
          // The priority may have changed just before the handler was added.
          move(ticket, effectivePriority)
        }
        stops = cancellation.onCancel { self.leave(ticket, cancellation) }
      }
    }
    do {
      try cancellation.check()
      return slot
    } catch {
      // The call was cancelled at the moment when it got the slot.
      release(slot)
      throw error
    }
  }

  private func move(_ ticket: Ticket, _ effectivePriority: EffectivePriority) {
    if effectivePriority.goesWithoutSlot {
      let continuation = state.withLock { $0.leave(ticket) }
      continuation?.resume(returning: .none)
    } else {
      // Another thread may have changed the priority meanwhile, and been faster.
      var priority = effectivePriority.current
      while true {
        resume(state.withLock { $0.move(ticket, to: priority) })
        if effectivePriority.current == priority { return }
        priority = effectivePriority.current
      }
    }
  }

  /// Cancels a waiting call. It resumes the waiter only if it removed it from the state, so each waiter is
  /// resumed once.
  private func leave(_ ticket: Ticket, _ cancellation: CancellationToken) {
    let continuation = state.withLock { $0.leave(ticket) }
    continuation?.resume(throwing: cancellation.failure ?? CancellationError())
  }

  private func resume(_ started: [State.Start]) {
    for start in started { start.payload.resume(returning: start.slot) }
  }
}
