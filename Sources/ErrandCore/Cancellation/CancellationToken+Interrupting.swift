extension CancellationToken {
  /// Runs users' code in a task. When the call is cancelled, that task is cancelled too, and the caller gets
  /// the error at once, however long the task goes on.
  /// - Parameter late: Receives the value that the task returns after that.
  func interrupting<Value: Sendable>(
    late: @escaping @Sendable (Value) -> Void = { _ in }, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let first = Promise<Value>()
    let task = Task {
      let outcome: Result<Value, any Error>
      do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
      if !first.settle(outcome), case .success(let value) = outcome { late(value) }
    }
    let id = onCancel { [weak self] in
      // In this order: the task may throw as soon as it is cancelled, and its error would be the outcome.
      if let cause = self?.cause { first.settle(.failure(cause.error)) }
      task.cancel()
    }
    defer { removeCancelHandler(id) }
    return try await first.settled().get()
  }
}

extension CancellationToken {
  /// Runs `work` with a token that is cancelled together with the current task.
  static func ofTask<Value>(_ work: (CancellationToken) async throws -> Value) async rethrows -> Value {
    let cancellation = CancellationToken()
    return try await withTaskCancellationHandler {
      try await work(cancellation)
    } onCancel: {
      cancellation.cancel(.cancelled(.taskCancelled))
    }
  }
}
