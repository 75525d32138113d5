import ErrandCore

/// A signal that wakes one task each time it is set. If no task waits, the next wait returns at once.
final class StubSignal: Sendable {
  private struct State {
    var isSet = false
    var isCancelled = false
    var waiter: CheckedContinuation<Void, any Error>?
  }

  private let state = Locked(State())

  func set() {
    let waiter: CheckedContinuation<Void, any Error>? = state.withLock { state in
      state.isSet = state.waiter == nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  func wait() async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let result: Result<Void, any Error>? = state.withLock { state in
          if state.isCancelled { return .failure(CancellationError()) }
          if state.isSet {
            state.isSet = false
            return .success(())
          }
          state.waiter = continuation
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiter: CheckedContinuation<Void, any Error>? = state.withLock { state in
        state.isCancelled = true
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(throwing: CancellationError())
    }
  }
}
