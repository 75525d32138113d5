import ErrandCore
import ErrandOutbox

/// A simulated process, which may be frozen for a while or end at any point. All its effects pass through
/// this object.
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
  /// True if the process has ended, or is closing its outbox.
  var isEnding: Bool { state.withLock { $0.isGone || $0.isClosing } }

  /// - Throws: `OutboxError.closed` if the process has ended: the next effect does not happen.
  func check() throws {
    if isGone { throw OutboxError(.closed, "\(name) has ended") }
  }

  /// Waits while the process is frozen.
  /// - Throws: Like `check`.
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

  /// Starts a task that ends with the process.
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

  /// Ends the process: its code has no more effects.
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
