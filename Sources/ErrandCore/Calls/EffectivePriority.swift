import Synchronization

/// The current priority of a call. It never falls; handlers are called when it rises, to raise what the call
/// waits for.
final class EffectivePriority: Sendable {
  struct HandlerID: Sendable, Hashable {
    fileprivate let number: Int
  }

  private struct State {
    var lastNumber = 0
    var handlers: [(number: Int, run: @Sendable (Priority) -> Void)] = []
  }

  // Outside the lock, because every call reads it and few change it.
  private let level: Atomic<UInt8>
  private let withoutSlot = Atomic(false)
  private let state = Locked(State())
  /// False if the priority cannot be raised, so that no handlers are needed.
  let canRise: Bool

  init(_ priority: Priority, canRise: Bool = true) {
    level = Atomic(priority.rawValue)
    self.canRise = canRise
  }

  var current: Priority { Priority(rawValue: level.load(ordering: .relaxed)) ?? .default }

  /// True if a call that holds a slot waits for this call, so that this call must not wait for a slot itself.
  var goesWithoutSlot: Bool { withoutSlot.load(ordering: .relaxed) }

  func goWithoutSlot() {
    let handlers = state.withLock { state -> [@Sendable (Priority) -> Void] in
      withoutSlot.exchange(true, ordering: .relaxed) ? [] : state.handlers.map(\.run)
    }
    for handler in handlers { handler(current) }
  }

  /// Rises to the priority of a call that waits for this one.
  func rise(with other: EffectivePriority) {
    raise(to: other.current)
    if other.goesWithoutSlot { goWithoutSlot() }
  }

  /// Raises the priority; a lower or equal priority changes nothing.
  func raise(to priority: Priority) {
    let handlers = state.withLock { state -> [@Sendable (Priority) -> Void] in
      guard priority > current else { return [] }
      level.store(priority.rawValue, ordering: .relaxed)
      return state.handlers.map(\.run)
    }
    for handler in handlers { handler(priority) }
  }

  /// Calls `handler` at every rise from now on, and when the call may go without a slot, until it is removed.
  /// Rises from several threads may be reported in any order.
  func onRaise(_ handler: @escaping @Sendable (Priority) -> Void) -> HandlerID {
    state.withLock { state in
      state.lastNumber += 1
      state.handlers.append((state.lastNumber, handler))
      return HandlerID(number: state.lastNumber)
    }
  }

  func removeRaiseHandler(_ id: HandlerID) {
    state.withLock { state in state.handlers.removeAll { $0.number == id.number } }
  }
}
