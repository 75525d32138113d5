extension Promise {
  /// Waits for the outcome, even if the waiting task is cancelled.
  func settled() async -> Outcome {
    await withCheckedContinuation { continuation in
      _ = listen { continuation.resume(returning: $0) }
    }
  }

  /// Waits for the outcome. Cancelling the waiting task ends the wait and nothing else.
  func value() async throws -> Value {
    if let outcome { return try outcome.get() }
    return try await CancellationToken.ofTask { try await value(unless: $0) }
  }

  /// Waits for the outcome, or until `cancellation` is cancelled; then throws its error.
  func value(unless cancellation: CancellationToken) async throws -> Value {
    // The outcome and the cancellation race; `first` takes whichever comes first.
    let first = Promise<Value>()
    let id = listen { first.settle($0) }
    let stop = cancellation.onCancel {
      if let stop = cancellation.cause { first.settle(.failure(stop.error)) }
    }
    defer {
      if let id { stopListening(id) }
      cancellation.removeCancelHandler(stop)
    }
    return try await withCheckedThrowingContinuation { continuation in
      _ = first.listen { continuation.resume(with: $0) }
    }
  }
}
