import ErrandCore

/// A gate at which tasks wait until it is opened. Then it stays open.
public final class StubGate: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    var cancelled: Set<Int> = []
    var lastID = 0
  }

  private let state = Locked(State())

  /// Creates a closed gate.
  public init() {}

  /// Opens the gate for all waiting tasks and all later ones.
  public func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [:] }
      return state.waiters
    }
    for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume() }
  }

  /// Waits until the gate is open.
  /// - Throws: `CancellationError` if the task is cancelled before that.
  package func pass() async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let result: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
          if state.isOpen { return .success(()) }
          state.waiters[id] = continuation
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiter: CheckedContinuation<Void, any Error>? = state.withLock { state in
        if let waiter = state.waiters.removeValue(forKey: id) { return waiter }
        state.cancelled.insert(id)
        return nil
      }
      waiter?.resume(throwing: CancellationError())
    }
    state.withLock { _ = $0.cancelled.remove(id) }
  }
}

/// A signal that wakes one waiting task each time it is set. If no task waits, the next wait returns at once.
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
