import ErrandCore

/// The queue of commands to the engine's thread.
final class CurlInbox: Sendable {
  enum Command {
    case start(CurlTransfer)
    case cancel(CurlTransfer)
    /// The sink can take more data, or the body to send has more.
    case resume(CurlTransfer)
    /// A job of a task that prefers the engine's thread.
    case run(UnownedJob)

    /// True if the command needs a thread. Without a thread, no transfer runs that could be cancelled or resumed.
    fileprivate var needsThread: Bool {
      switch self {
      case .start, .run: true
      case .cancel, .resume: false
      }
    }
  }

  enum Receipt {
    /// The engine will execute the command.
    case taken
    /// The engine will execute the command after the caller has started its thread.
    case takenFirst
    case refused
  }

  private struct State {
    var commands: [Command] = []
    var isWaiting = false
    var hasThread = false
    var isStopped = false
    var whenStopped: [@Sendable () -> Void] = []
  }

  private let state = Locked(State())
  private let alarm: SocketAlarm

  init(_ alarm: SocketAlarm) { self.alarm = alarm }

  func put(_ command: Command) -> Receipt {
    let (receipt, wakes) = state.withLock { state -> (Receipt, Bool) in
      guard !state.isStopped else { return (.refused, false) }
      guard state.hasThread || command.needsThread else { return (.refused, false) }
      state.commands.append(command)
      defer {
        state.hasThread = true
        state.isWaiting = false
      }
      return (state.hasThread ? .taken : .takenFirst, state.isWaiting)
    }
    if wakes { alarm.ring() }
    return receipt
  }

  /// Closes the inbox to further commands. Calls `done` when the thread has ended, or at once if it is not running.
  func close(_ done: @escaping @Sendable () -> Void) {
    let (isOver, wakes) = state.withLock { state -> (Bool, Bool) in
      state.isStopped = true
      guard state.hasThread else { return (true, false) }
      state.whenStopped.append(done)
      defer { state.isWaiting = false }
      return (false, state.isWaiting)
    }
    if wakes { alarm.ring() }
    if isOver { done() }
  }

  /// Removes and returns the commands that the engine will not execute.
  func takeLeft() -> [Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// Records that the thread could not start. Returns the commands that it will not execute, and the handlers
  /// to call.
  func endWithoutThread() -> (commands: [Command], actions: [@Sendable () -> Void]) {
    state.withLock { state in
      state.hasThread = false
      defer { (state.commands, state.whenStopped) = ([], []) }
      return (state.commands, state.whenStopped)
    }
  }

  // MARK: On the engine's thread

  /// Swaps the empty `batch` for the queued commands. Returns false once the inbox is closed.
  func take(_ batch: inout [Command]) -> Bool {
    let commands: [Command]? = state.withLock { [batch] state in
      // Commands that are still queued at the end are left for `takeLeft`.
      guard !state.isStopped else { return nil }
      defer { state.commands = batch }
      return state.commands
    }
    guard let commands else { return false }
    batch = commands
    return true
  }

  /// Returns true if the inbox is empty and open. From then on, `put` wakes the thread.
  func mayWait() -> Bool {
    state.withLock { state in
      state.isWaiting = state.commands.isEmpty && !state.isStopped
      return state.isWaiting
    }
  }

  func hasWoken() { state.withLock { $0.isWaiting = false } }

  /// Records that the thread has ended, and returns the handlers to call. A later `close` calls its handler
  /// at once, and a later start needs a new thread.
  func end() -> [@Sendable () -> Void] {
    state.withLock { state in
      state.hasThread = false
      defer { state.whenStopped = [] }
      return state.whenStopped
    }
  }
}
