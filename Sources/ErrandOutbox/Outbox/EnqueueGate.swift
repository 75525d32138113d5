import ErrandCore

/// Admits calls of `enqueue`, as `EnqueueGateState` decides.
final class EnqueueGate: Sendable {
  private let state = Locked(EnqueueGateState<CheckedContinuation<Void, Never>>())

  /// Waits until the call is admitted. `leave` has to follow.
  /// - Parameter rows: The number of its requests.
  func enter(_ rows: Int, _ priority: Priority) async {
    if state.withLock({ $0.enter(rows: rows) }) { return }
    await withCheckedContinuation { continuation in
      let enters = state.withLock { state in
        let enters = state.enter(rows: rows)
        if !enters { state.wait(continuation, rows: rows, priority) }
        return enters
      }
      if enters { continuation.resume() }
    }
  }

  func leave(_ rows: Int) {
    for waiter in state.withLock({ $0.leave(rows: rows) }) { waiter.resume() }
  }
}
