extension Settlement {
  /// Waits for the outcome, whatever becomes of the task that waits.
  func settled() async -> Outcome {
    await withCheckedContinuation { continuation in
      _ = listen { continuation.resume(returning: $0) }
    }
  }

  /// Waits for the outcome. Cancelling the task that waits ends the wait and nothing else.
  func value() async throws -> Value {
    if let outcome { return try outcome.get() }
    return try await StopSignal.ofTask { try await value(unless: $0) }
  }

  /// Waits for the outcome, or until `signal` is stopped; then throws its error.
  func value(unless signal: StopSignal) async throws -> Value {
    // Whichever comes first; the other finds that there is an outcome.
    let first = Settlement<Value>()
    let id = listen { first.settle($0) }
    let stop = signal.onStop { if let stop = signal.stopped { first.settle(.failure(stop.error)) } }
    defer {
      if let id { stopListening(id) }
      signal.removeStopHandler(stop)
    }
    return try await withCheckedThrowingContinuation { continuation in
      _ = first.listen { continuation.resume(with: $0) }
    }
  }
}
