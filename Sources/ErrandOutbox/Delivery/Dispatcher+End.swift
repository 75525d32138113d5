import ErrandCore

/// Ends delivery, for good or for a while.
extension Dispatcher {
  /// Begins nothing new, waits for the attempts in flight, and gives back the rest after `limit`.
  func stop(within limit: Duration) async {
    await rest(within: limit)
    timers.withLock { $0 = DeadlineTimers() }
  }

  /// Does the same as `stop`, until `resume`.
  /// - Parameter isNeedless: Returns true if `resume` was called too early, when it had no effect yet.
  func rest(within limit: Duration, unless isNeedless: @Sendable () -> Bool = { false }) async {
    beginNothing()
    if isNeedless() { return resume() }
    let force = Task {
      try await timeline.sleep(limit)
      cancelAll()
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isOver = state.withLock { state in
        if state.isOver || !state.isStopped { return true }
        state.waiters.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
    force.cancel()
  }

  /// Resumes delivery after `rest`.
  func resume() {
    let waiters = state.withLock { $0.isStopped ? $0.resume() : nil }
    guard let waiters else { return }
    for waiter in waiters { waiter.resume() }
    Task {
      await rescheduleOffline()
      look()
    }
  }

  /// Gives back all claimed requests at once.
  func cancelAll() {
    beginNothing()
    let tasks = state.withLock { state in
      state.isCancelling = true
      return state.inFlight.allTasks
    }
    for task in tasks { task.cancel() }
  }

  private func beginNothing() {
    proceed { $0.stop() }
  }
}
