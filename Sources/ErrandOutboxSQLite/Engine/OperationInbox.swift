import Dispatch
import ErrandCore

/// The queue of operations for a store's thread, which sleeps while the queue is empty.
final class OperationInbox: Sendable {
  private struct State {
    var operations: [StoreOperation] = []
    /// True while the thread sleeps, or is about to, and nothing has woken it.
    var isAwaited = false
    var end: End?
  }

  /// How the thread is to end, and the callbacks that wait for its end.
  private struct End {
    var isGraceful: Bool
    var waiters: [@Sendable () -> Void] = []
    var isOver = false
  }

  private let state = Locked(State())
  private let arrival = DispatchSemaphore(value: 0)

  /// Adds an operation.
  /// - Returns: False if the inbox was closed.
  func put(_ operation: StoreOperation) -> Bool {
    let (isOpen, wakes) = state.withLock { state in
      guard state.end == nil else { return (false, false) }
      state.operations.append(operation)
      return (true, state.isAwaited.exchange(with: false))
    }
    if wakes { arrival.signal() }
    return isOpen
  }

  /// Waits for operations, and takes all of them.
  /// - Returns: False if the inbox was closed and is empty.
  func take(_ batch: inout [StoreOperation]) -> Bool {
    while !takeNow(&batch) { arrival.wait() }
    return !batch.isEmpty
  }

  /// Takes all operations, or notes that the thread waits for some.
  private func takeNow(_ batch: inout [StoreOperation]) -> Bool {
    state.withLock { state in
      guard !state.operations.isEmpty || state.end != nil else {
        state.isAwaited = true
        return false
      }
      swap(&batch, &state.operations)
      return true
    }
  }

  /// Closes the inbox: it takes no more operations. `done` is called when the operations in it are done and
  /// the thread ends.
  func close(isGraceful: Bool, _ done: @escaping @Sendable () -> Void) {
    let (isOver, wakes) = state.withLock { state in
      if state.end?.isOver == true { return (true, false) }
      if state.end == nil { state.end = End(isGraceful: isGraceful) }
      state.end?.waiters.append(done)
      return (false, state.isAwaited.exchange(with: false))
    }
    if wakes { arrival.signal() }
    if isOver { done() }
  }

  var isGraceful: Bool { state.withLock { $0.end?.isGraceful ?? true } }

  /// Ends the inbox. Called by the thread as its last act.
  /// - Returns: The callbacks that wait for the end.
  func finish() -> [@Sendable () -> Void] {
    state.withLock { state in
      let end = state.end
      state.end = End(isGraceful: end?.isGraceful ?? true, isOver: true)
      return end?.waiters ?? []
    }
  }
}

extension Bool {
  /// Sets a new value, and returns the one before.
  fileprivate mutating func exchange(with new: Bool) -> Bool {
    defer { self = new }
    return self
  }
}
