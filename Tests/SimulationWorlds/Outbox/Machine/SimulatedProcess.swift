import ErrandCore
import ErrandOutbox

/// A process as its code cannot see it: it may stand still for a while, or be gone. Whatever it does passes here.
final class SimulatedProcess: Sendable {
  private struct State {
    var isFrozen = false
    var isGone = false
    var isClosing = false
    var waiting: [UnsafeContinuation<Void, Never>] = []
    var tasks: [Task<Void, Never>] = []
  }

  let name: String
  private let state = Locked(State())

  init(_ name: String) { self.name = name }

  var isGone: Bool { state.withLock { $0.isGone } }
  /// True if it is gone, or about to end in good order.
  var isEnding: Bool { state.withLock { $0.isGone || $0.isClosing } }

  /// - Throws: `OutboxError.closed` if the process is gone: what comes next does not happen.
  func check() throws {
    if isGone { throw OutboxError(.closed, "\(name) is gone") }
  }

  /// Waits while it stands still.
  /// - Throws: As `check`.
  func run() async throws {
    while state.withLock({ $0.isFrozen && !$0.isGone }) {
      await withUnsafeContinuation { continuation in
        let isRunning = state.withLock { state in
          guard state.isFrozen, !state.isGone else { return true }
          state.waiting.append(continuation)
          return false
        }
        if isRunning { continuation.resume() }
      }
    }
    try check()
  }

  /// A task that ends with the process.
  func begin(_ work: @escaping @Sendable () async -> Void) {
    let task = Task { await work() }
    let isGone = state.withLock { state in
      state.tasks.append(task)
      return state.isGone
    }
    if isGone { task.cancel() }
  }

  func beginClosing() { state.withLock { $0.isClosing = true } }

  func freeze() { state.withLock { $0.isFrozen = true } }

  func thaw() { wake { $0.isFrozen = false } }

  /// From now on nothing that it does has any effect.
  func die() {
    wake { $0.isGone = true }
    for task in state.withLock({ $0.tasks }) { task.cancel() }
  }

  private func wake(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.resume() }
  }
}
