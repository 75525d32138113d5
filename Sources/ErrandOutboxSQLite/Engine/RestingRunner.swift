import ErrandCore
import ErrandOutbox

/// A runner that can be closed and opened again (`HandoverStore.suspend`). In between, each operation has a runner of its
/// own, which is closed after it: the process holds nothing while nothing is being done.
final class RestingRunner: StoreRunner {
  private enum Place {
    case open(any StoreRunner)
    case resting
    case closed
  }

  private struct State {
    var place: Place
    /// What the runner that is open, or was last, had for other threads.
    var notifier: any ChangeNotifier
    var owners: any LivenessRegistry
    /// Called with each runner that is opened.
    var listeners: [@Sendable () -> Void] = []
  }

  private let state: Locked<State>
  private let open: @Sendable () async throws -> any StoreRunner

  init(_ open: @escaping @Sendable () async throws -> any StoreRunner) async throws {
    let runner = try await open()
    self.open = open
    state = Locked(State(place: .open(runner), notifier: runner.notifier, owners: runner.owners))
  }

  var notifier: any ChangeNotifier { state.withLock { $0.notifier } }
  var owners: any LivenessRegistry { state.withLock { $0.owners } }

  func accept(_ operation: StoreOperation) -> Bool {
    switch state.withLock({ $0.place }) {
    // A runner that was closed in this moment does not take it, and is in this place no more.
    case .open(let runner): return runner.accept(operation) || accept(operation)
    case .closed: return false
    case .resting:
      Task { [open] in
        do {
          let runner = try await open()
          // The caller goes on when nothing is open any more.
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
      // It was opened or closed meanwhile.
      return runner.close(isGraceful: true) {}
    }
    for listener in listeners { listener() }
  }
}
