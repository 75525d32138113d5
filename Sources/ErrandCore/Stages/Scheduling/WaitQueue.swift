/// Lets calls wait for a permit, such as a slot or a pass, by their priorities. Waiting calls use no thread.
protocol WaitQueue: Sendable {
  associatedtype Permit: Sendable
  typealias Waiter = CheckedContinuation<Permit, any Error>

  /// The permit of a waiting call that is allowed to go without a slot; nil if it waits nevertheless.
  var permitWithoutSlot: Permit? { get }

  /// Moves a waiting call to its place of arrival in another priority.
  func move(_ ticket: Ticket, to priority: Priority)
  /// Removes a waiting call. Returns nil if it no longer waits.
  func leave(_ ticket: Ticket) -> Waiter?
  /// Takes back a permit that was not used.
  func putBack(_ permit: Permit)
}

/// The result of a call's arrival at a queue.
enum QueueArrival<Permit> {
  case started(Permit)
  case waiting(Ticket)
}

extension QueueArrival: Sendable where Permit: Sendable {}

extension WaitQueue {
  /// Returns a permit when it is the call's turn.
  /// - Parameter arrive: Gives the call its place in the queue.
  /// - Throws: The call's outcome, as soon as it is cancelled.
  func wait(
    _ effectivePriority: EffectivePriority, _ cancellation: CancellationToken,
    _ arrive: (Waiter, Priority) -> QueueArrival<Permit>
  ) async throws -> Permit {
    var changes: EffectivePriority.HandlerID?
    var stops: CancelHandlerID?
    defer {
      if let changes { effectivePriority.removeChangeHandler(changes) }
      if let stops { cancellation.removeCancelHandler(stops) }
    }
    let permit = try await withCheckedThrowingContinuation { continuation in
      switch arrive(continuation, effectivePriority.current) {
      case .started(let permit): continuation.resume(returning: permit)
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
      return permit
    } catch {
      // The call was cancelled at the moment when it got the permit.
      putBack(permit)
      throw error
    }
  }

  private func move(_ ticket: Ticket, _ effectivePriority: EffectivePriority) {
    if effectivePriority.goesWithoutSlot, let permitWithoutSlot {
      leave(ticket)?.resume(returning: permitWithoutSlot)
    } else {
      // Another thread may have changed the priority meanwhile, and been faster.
      var priority = effectivePriority.current
      while true {
        move(ticket, to: priority)
        if effectivePriority.current == priority { return }
        priority = effectivePriority.current
      }
    }
  }

  /// Cancels a waiting call. It resumes the waiter only if it removed it from the queue, so each waiter is
  /// resumed once.
  private func leave(_ ticket: Ticket, _ cancellation: CancellationToken) {
    leave(ticket)?.resume(throwing: cancellation.failure ?? CancellationError())
  }
}
