extension Outbox {
  /// Waits until no request is left that may be delivered without help: all are delivered, dead letters,
  /// expired or dropped. Paused requests, and those that other processes attempt, are waited for as well.
  /// - Throws: `CancellationError` if the task is cancelled; `OutboxError.closed` if the outbox is closed
  ///   first.
  public func waitUntilEmpty() async throws {
    // While the dispatcher has work, the store need not be asked.
    for await _ in hub.ends() where dispatcher.claimsWhileIdle != nil {
      let counts = try await statistics().counts
      if counts[.stored, default: 0] + counts[.attempting, default: 0] == 0 { return }
    }
    try Task.checkCancellation()
    throw OutboxError(.closed, "the outbox was closed")
  }

  /// Waits until no request is left that this process may attempt now. Requests that wait for the time of
  /// their next attempt, that are paused or that other processes attempt are not waited for.
  /// - Throws: `CancellationError` if the task is cancelled; `OutboxError.closed` if the outbox is closed
  ///   first.
  public func waitUntilIdle() async throws {
    for await _ in hub.ends() {
      guard let claims = dispatcher.claimsWhileIdle else { continue }
      let statistics = try await statistics()
      // Requests that the dispatcher claimed meanwhile are missing in these statistics.
      guard dispatcher.claimsWhileIdle == claims else { continue }
      let isReady = statistics.nextDue == nil && !statistics.isHeld && !statistics.isPaused
      if statistics.counts[.stored, default: 0] == 0 || !isReady { return }
    }
    try Task.checkCancellation()
    throw OutboxError(.closed, "the outbox was closed")
  }
}
