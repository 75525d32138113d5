extension Outbox {
  /// Waits until nothing is left that may be delivered without help: all is delivered, set aside, expired or dropped.
  /// What is paused, and what others try, is waited for as well.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func waitUntilEmpty() async throws {
    // Who still has something to deliver need not ask the store whether that was all.
    for await _ in feedback.ends() where courier.claimsWhileIdle != nil {
      let counts = try await statistics().counts
      if counts[.stored, default: 0] + counts[.trying, default: 0] == 0 { return }
    }
    try Task.checkCancellation()
    throw OutboxError(.closed, "the outbox was closed")
  }

  /// Waits until nothing is left that this process may try now: what waits for the time of its next try, what is paused and what
  /// others try is left.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func waitUntilIdle() async throws {
    for await _ in feedback.ends() {
      guard let claims = courier.claimsWhileIdle else { continue }
      let statistics = try await statistics()
      // Requests that it has claimed meanwhile neither wait nor are others'.
      guard courier.claimsWhileIdle == claims else { continue }
      let isReady = statistics.nextDue == nil && !statistics.isHeld && !statistics.isPaused
      if statistics.counts[.stored, default: 0] == 0 || !isReady { return }
    }
    try Task.checkCancellation()
    throw OutboxError(.closed, "the outbox was closed")
  }
}
