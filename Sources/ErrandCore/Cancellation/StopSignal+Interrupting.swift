extension StopSignal {
  /// Runs users' code in a task. When the call is called off, that task is cancelled and the caller has its outcome at
  /// once, however long the task goes on.
  /// - Parameter late: Is given what the task returns after that.
  func interrupting<Value: Sendable>(
    late: @escaping @Sendable (Value) -> Void = { _ in }, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let first = Settlement<Value>()
    let task = Task {
      let outcome: Result<Value, any Error>
      do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
      if !first.settle(outcome), case .success(let value) = outcome { late(value) }
    }
    let id = onStop { [weak self] in
      // In this order, or what the task throws because it is cancelled could be the outcome.
      if let stop = self?.stopped { first.settle(.failure(stop.error)) }
      task.cancel()
    }
    defer { removeStopHandler(id) }
    return try await first.settled().get()
  }
}

extension StopSignal {
  /// Does work that ends when the task that waits for it is cancelled.
  static func ofTask<Value>(_ work: (StopSignal) async throws -> Value) async rethrows -> Value {
    let signal = StopSignal()
    return try await withTaskCancellationHandler {
      try await work(signal)
    } onCancel: {
      signal.stop(.cancelled(.taskCancelled))
    }
  }
}
