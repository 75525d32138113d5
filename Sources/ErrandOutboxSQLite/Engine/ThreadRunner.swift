import CSQLite
import Dispatch
import ErrandCore
import ErrandOutbox

/// Runs operations on a dedicated thread, so that no caller's thread waits for the disk. Operations that
/// arrive while a transaction is being written share the next one.
final class ThreadRunner: StoreRunner {
  private let inbox: OperationInbox
  let notifier: any ChangeNotifier
  let owners: any LivenessRegistry

  private init(_ inbox: OperationInbox, _ shared: Shared) {
    self.inbox = inbox
    notifier = shared.notifier
    owners = shared.owners
  }

  /// The parts of a session that other threads use while its thread works.
  private struct Shared: Sendable {
    let notifier: any ChangeNotifier
    let owners: any LivenessRegistry
  }

  /// Starts the thread, and creates the session on it.
  static func start(_ makeSession: @escaping @Sendable () throws -> StoreSession) async throws -> ThreadRunner
  {
    let inbox = OperationInbox()
    let shared: Shared = try await withCheckedThrowingContinuation { continuation in
      let isStarted = SystemThread.start {
        errand_name_store_thread("errand.outbox")
        do {
          let session = try makeSession()
          continuation.resume(returning: Shared(notifier: session.notifier, owners: session.tables.owners))
          run(session, inbox)
        } catch {
          continuation.resume(throwing: error)
        }
      }
      if !isStarted {
        continuation.resume(
          throwing: OutboxError(.failed, "the system cannot start another thread for the outbox"))
      }
    }
    return ThreadRunner(inbox, shared)
  }

  private static func run(_ session: StoreSession, _ inbox: OperationInbox) {
    var batch: [StoreOperation] = []
    while inbox.take(&batch) {
      session.perform(batch) { reply in reply() }
      batch.removeAll(keepingCapacity: true)
      if session.takeNews() { session.notifier.ring() }
      session.tidyUp()
    }
    session.close(isGraceful: inbox.isGraceful)
    for waiter in inbox.finish() { waiter() }
  }

  func accept(_ operation: StoreOperation) -> Bool { inbox.put(operation) }

  func close(isGraceful: Bool, _ done: @escaping @Sendable () -> Void) {
    inbox.close(isGraceful: isGraceful, done)
  }
}

/// The queue of operations for a store's thread, which sleeps while the queue is empty.
final class OperationInbox: Sendable {
  private struct State {
    var operations: [StoreOperation] = []
    /// True while the thread sleeps or is about to sleep, and nothing has woken it.
    var isAwaited = false
    var end: End?
  }

  /// The way in which the thread has to end, and the callbacks that wait for its end.
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
  /// - Returns: False if the inbox is closed and empty.
  func take(_ batch: inout [StoreOperation]) -> Bool {
    while !takeNow(&batch) { arrival.wait() }
    return !batch.isEmpty
  }

  /// Takes all operations, or notes that the thread waits for operations.
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

  /// Closes the inbox, which then takes no more operations. Calls `done` when the operations in it are done
  /// and the thread ends.
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

  /// Ends the inbox. The thread calls it at its end.
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
  /// Sets a new value, and returns the previous one.
  fileprivate mutating func exchange(with new: Bool) -> Bool {
    defer { self = new }
    return self
  }
}
