import ErrandCore

/// What other threads hand to the engine's.
final class CurlInbox: Sendable {
  enum Command {
    case start(CurlTransfer)
    case cancel(CurlTransfer)
    /// Its sink has room again, or its body has more.
    case resume(CurlTransfer)
  }

  enum Receipt {
    /// The engine will see to it.
    case taken
    /// The same, once somebody has started its thread.
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
  private let watch: SocketWatch

  init(_ watch: SocketWatch) { self.watch = watch }

  func put(_ command: Command) -> Receipt {
    let (receipt, wakes) = state.withLock { state -> (Receipt, Bool) in
      guard !state.isStopped else { return (.refused, false) }
      // Only a start gives the thread something to do; without one there is nothing to cancel or to resume.
      if case .start = command {} else if !state.hasThread { return (.refused, false) }
      state.commands.append(command)
      defer {
        state.hasThread = true
        state.isWaiting = false
      }
      return (state.hasThread ? .taken : .takenFirst, state.isWaiting)
    }
    if wakes { watch.wake() }
    return receipt
  }

  /// Takes no more. `done` is called when the thread has ended, or at once if there is none.
  func close(_ done: @escaping @Sendable () -> Void) {
    let (isOver, wakes) = state.withLock { state -> (Bool, Bool) in
      state.isStopped = true
      guard state.hasThread else { return (true, false) }
      state.whenStopped.append(done)
      defer { state.isWaiting = false }
      return (false, state.isWaiting)
    }
    if wakes { watch.wake() }
    if isOver { done() }
  }

  /// What nobody will carry out.
  func takeLeft() -> [Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  // MARK: On the engine's thread

  /// Swaps the empty `batch` for what has come. False once it is closed.
  func take(_ batch: inout [Command]) -> Bool {
    let commands: [Command]? = state.withLock { [batch] state in
      // What comes with the end is left for `takeLeft`.
      guard !state.isStopped else { return nil }
      defer { state.commands = batch }
      return state.commands
    }
    guard let commands else { return false }
    batch = commands
    return true
  }

  /// True if there is nothing to do but wait; from then on `put` wakes.
  func mayWait() -> Bool {
    state.withLock { state in
      state.isWaiting = state.commands.isEmpty && !state.isStopped
      return state.isWaiting
    }
  }

  func hasWoken() { state.withLock { $0.isWaiting = false } }

  /// The thread has ended, or never began; returns who wants to know. A later `close` is told at once, a later start
  /// needs a thread.
  func end() -> [@Sendable () -> Void] {
    state.withLock { state in
      state.hasThread = false
      defer { state.whenStopped = [] }
      return state.whenStopped
    }
  }
}
