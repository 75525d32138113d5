extension StopSignal {
  /// Runs `work` in a task that is cancelled when the call is called off; then the outcome is the call's own.
  func interrupting<Result: Sendable>(
    _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await work() }
    let id = onStop { task.cancel() }
    defer { removeStopHandler(id) }
    do {
      return try await task.value
    } catch {
      try check()
      throw error
    }
  }
}
