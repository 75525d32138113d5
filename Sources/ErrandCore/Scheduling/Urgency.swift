import Synchronization

/// How soon a call is wanted now. It only ever gets more urgent; whoever waits for the call's sake hears of it.
final class Urgency: Sendable {
  struct HandlerID: Sendable, Hashable {
    fileprivate let number: Int
  }

  private struct State {
    var lastNumber = 0
    var handlers: [(number: Int, run: @Sendable (Priority) -> Void)] = []
  }

  // Beside the lock, because every call reads it and hardly any changes it.
  private let level: Atomic<UInt8>
  private let withoutSlot = Atomic(false)
  private let state = Locked(State())
  /// False if nobody can raise it, so that nobody need listen.
  let canRise: Bool

  init(_ priority: Priority, canRise: Bool = true) {
    level = Atomic(priority.rawValue)
    self.canRise = canRise
  }

  var current: Priority { Priority(rawValue: level.load(ordering: .relaxed)) ?? .default }

  /// Somebody who has a slot waits for this call, so it must not wait for one itself.
  var goesWithoutSlot: Bool { withoutSlot.load(ordering: .relaxed) }

  func goWithoutSlot() {
    let handlers = state.withLock { state -> [@Sendable (Priority) -> Void] in
      withoutSlot.exchange(true, ordering: .relaxed) ? [] : state.handlers.map(\.run)
    }
    for handler in handlers { handler(current) }
  }

  /// Becomes as urgent as another that waits for it.
  func rise(with other: Urgency) {
    raise(to: other.current)
    if other.goesWithoutSlot { goWithoutSlot() }
  }

  /// A lower priority, or the same, changes nothing.
  func raise(to priority: Priority) {
    let handlers = state.withLock { state -> [@Sendable (Priority) -> Void] in
      guard priority > current else { return [] }
      level.store(priority.rawValue, ordering: .relaxed)
      return state.handlers.map(\.run)
    }
    for handler in handlers { handler(priority) }
  }

  /// Calls `handler` at every rise from now on, and when it goes without a slot, until it is removed. Rises from several
  /// threads may be told in any order.
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
