/// The outcome of an operation, once it has ended, and the listeners that wait for it.
package final class Promise<Value: Sendable>: Sendable {
  package typealias Outcome = Result<Value, any Error>
  package typealias Listener = @Sendable (Outcome) -> Void
  package typealias ListenerID = Slab<Listening>.Token

  /// A listener in a structure. Swift would wrap a function that is stored directly at each read.
  package struct Listening: Sendable {
    fileprivate let tell: Listener
  }

  private struct State {
    var outcome: Outcome?
    var listeners = Slab<Listening>()
  }

  private let state = Locked(State())

  package init() {}

  package var outcome: Outcome? { state.withLock { $0.outcome } }

  /// Sets the outcome, unless it is already set. Returns false in that case.
  @discardableResult
  package func settle(_ outcome: Outcome) -> Bool {
    let listeners = state.withLock { state -> [Listening]? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.listeners = Slab() }
      return state.listeners.values
    }
    for listener in listeners ?? [] { listener.tell(outcome) }
    return listeners != nil
  }

  /// Calls `listener` once with the outcome. If the promise is settled, calls it at once and returns nil.
  package func listen(_ listener: @escaping Listener) -> ListenerID? {
    let (id, outcome) = state.withLock { state -> (ListenerID?, Outcome?) in
      if let outcome = state.outcome { return (nil, outcome) }
      return (state.listeners.insert(Listening(tell: listener)), nil)
    }
    if let outcome { listener(outcome) }
    return id
  }

  package func stopListening(_ id: ListenerID) { state.withLock { _ = $0.listeners.remove(id) } }
}

extension Promise {
  /// Waits for the outcome, even if the waiting task is cancelled.
  package func settled() async -> Outcome {
    await withCheckedContinuation { continuation in
      _ = listen { continuation.resume(returning: $0) }
    }
  }

  /// Waits for the outcome. Cancelling the waiting task ends the wait, and nothing else.
  package func value() async throws -> Value {
    if let outcome { return try outcome.get() }
    return try await CancellationToken.ofTask { try await value(unless: $0) }
  }

  /// Waits for the outcome, or until `cancellation` is cancelled, and then throws its error.
  package func value(unless cancellation: CancellationToken) async throws -> Value {
    // The outcome and the cancellation race; `first` takes the earlier one.
    let first = Promise<Value>()
    let id = listen { first.settle($0) }
    let stop = cancellation.onCancel {
      if let failure = cancellation.failure { first.settle(.failure(failure)) }
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
