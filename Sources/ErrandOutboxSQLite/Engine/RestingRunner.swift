import ErrandCore
import ErrandOutbox

/// A runner that can be closed and opened again (`HandoverStore.suspend`). In between, it opens a runner for
/// each operation and closes it afterwards. Thus the process holds no lock between operations.
final class RestingRunner: StoreRunner {
  private enum Place {
    case open(any StoreRunner)
    case resting
    case closed
  }

  private struct State {
    var place: Place
    /// The notifier and the owners of the runner that is open, or was last open, for other threads.
    var notifier: any ChangeNotifier
    var owners: any LivenessRegistry
    /// Called with each runner that is opened.
    var listeners: [@Sendable () -> Void] = []
    /// The number of reads on other threads, and the calls of `suspend` that wait for their end.
    var readers = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Locked<State>
  private let open: @Sendable () async throws -> any StoreRunner
  private let openReader: @Sendable () throws -> OutboxTables?

  /// Opens the runner.
  /// - Parameter reader: Opens a connection that only reads; returns nil if only one connection is possible.
  init(
    _ open: @escaping @Sendable () async throws -> any StoreRunner,
    reader: @escaping @Sendable () throws -> OutboxTables? = { nil }
  ) async throws {
    let runner = try await open()
    self.open = open
    openReader = reader
    state = Locked(State(place: .open(runner), notifier: runner.notifier, owners: runner.owners))
  }

  var notifier: any ChangeNotifier { state.withLock { $0.notifier } }
  var owners: any LivenessRegistry { state.withLock { $0.owners } }

  func accept(_ operation: StoreOperation) -> Bool {
    switch state.withLock({ $0.place }) {
    // A runner that was closed at this moment refuses the operation, and is not `place` any more.
    case .open(let runner): return runner.accept(operation) || accept(operation)
    case .closed: return false
    case .resting:
      Task { [open] in
        do {
          let runner = try await open()
          // The caller resumes when the runner is closed again.
          let reply = Locked<StoreOperation.Reply?>(nil)
          runner.submit(operation.replying { outcome in reply.withLock { $0 = outcome } })
          runner.close(isGraceful: true) { reply.withLock { $0.take() }?() }
        } catch {
          operation.failure(error)()
        }
      }
      return true
    }
  }

  func close(isGraceful: Bool, _ done: @escaping @Sendable () -> Void) {
    let place = state.withLock { state in
      defer { (state.place, state.listeners) = (.closed, []) }
      return state.place
    }
    guard case .open(let runner) = place else { return done() }
    runner.close(isGraceful: isGraceful, done)
  }

  /// Calls `listener` now, and for each runner that is opened later.
  func onOpen(_ listener: @escaping @Sendable () -> Void) {
    state.withLock { $0.listeners.append(listener) }
    listener()
  }

  func suspend() async {
    let runner: (any StoreRunner)? = state.withLock { state in
      guard case .open(let runner) = state.place else { return nil }
      state.place = .resting
      return runner
    }
    guard let runner else { return }
    await withCheckedContinuation { continuation in
      runner.close(isGraceful: true) { continuation.resume() }
    }
    await withCheckedContinuation { continuation in
      let isReading = state.withLock { state in
        if state.readers > 0 { state.waiters.append(continuation) }
        return state.readers > 0
      }
      if !isReading { continuation.resume() }
    }
  }

  // MARK: Long reads

  /// Runs a long read in one transaction on its own thread, so that other operations need not wait for it.
  func readApart<Value: Sendable>(
    _ body: @escaping @Sendable (OutboxTables) throws -> Value
  ) async throws -> Value {
    // It is counted first, so that a concurrent `suspend` waits for it.
    state.withLock { $0.readers += 1 }
    defer { endReading() }
    // The store has to be open, and its file intact.
    try await read { _ in }
    let value: Value? = try await withCheckedThrowingContinuation { continuation in
      let isStarted = SystemThread.start { [openReader] in
        continuation.resume(with: Result { try Self.read(openReader, body) })
      }
      if !isStarted {
        continuation.resume(
          throwing: OutboxError(.failed, "the system cannot start another thread for the outbox"))
      }
    }
    if let value { return value }
    return try await read(body)
  }

  private static func read<Value>(
    _ open: () throws -> OutboxTables?, _ body: (OutboxTables) throws -> Value
  ) throws -> Value? {
    guard let tables = try open() else { return nil }
    defer { tables.database.close() }
    try tables.database.beginReading()
    defer { tables.database.endReading() }
    try tables.database.checkVersion()
    return try body(tables)
  }

  private func endReading() {
    let waiters: [CheckedContinuation<Void, Never>] = state.withLock { state in
      state.readers -= 1
      guard state.readers == 0 else { return [] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func resume() async throws {
    switch state.withLock({ $0.place }) {
    case .open: return
    case .closed: throw OutboxError(.closed, "the outbox is closed")
    case .resting: break
    }
    let runner = try await open()
    let listeners: [@Sendable () -> Void]? = state.withLock { state in
      guard case .resting = state.place else { return nil }
      (state.place, state.notifier, state.owners) = (.open(runner), runner.notifier, runner.owners)
      return state.listeners
    }
    guard let listeners else {
      // The store was opened or closed meanwhile.
      return runner.close(isGraceful: true) {}
    }
    for listener in listeners { listener() }
  }
}
