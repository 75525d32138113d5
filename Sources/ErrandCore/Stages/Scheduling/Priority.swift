import Synchronization

/// The priority of a request. Requests that wait for a slot start in this order, first in, first out within
/// one priority.
public enum Priority: UInt8, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
  /// Work that the user does not see, such as prefetching and clearing up.
  case background
  /// Work whose result the user needs later, such as uploads of photos and synchronisation.
  case utility
  /// The priority of requests that do not set one.
  case `default`
  /// Work that the user waits for, such as a response that is shown on screen.
  case userInitiated

  public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }

  public var description: String {
    switch self {
    case .background: "background"
    case .utility: "utility"
    case .default: "default"
    case .userInitiated: "userInitiated"
    }
  }
}

/// The current priority of a call: its own, or the limit of its scope if that is lower. When it changes,
/// handlers move the requests and calls that the call waits for.
final class EffectivePriority: Sendable {
  struct HandlerID: Sendable, Hashable {
    fileprivate let number: Int
  }

  private struct State {
    var lastNumber = 0
    var own: Priority
    var limit: Priority?
    /// The number of the last `set`.
    var setBy: UInt64 = 0
    var handlers: [(number: Int, run: @Sendable (Priority) -> Void)] = []
  }

  // These are outside the lock, because every call reads them and few change them.
  private let level: Atomic<UInt8>
  private let withoutSlot = Atomic(false)
  private let state: Locked<State>
  /// False if the priority cannot change, so that no handlers are needed.
  let canChange: Bool
  /// False for a second attempt, which is cancelled instead of waiting for a slot or the rate limits.
  let mayWait: Bool

  init(_ priority: Priority, canChange: Bool = true, mayWait: Bool = true) {
    level = Atomic(priority.rawValue)
    state = Locked(State(own: priority))
    self.canChange = canChange
    self.mayWait = mayWait
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

  /// Raises the call's own priority. A lower or equal priority changes nothing.
  func raise(to priority: Priority) { change { $0.own = max($0.own, priority) } }

  /// Lowers the call's own priority. A higher or equal priority changes nothing.
  func lower(to priority: Priority) { change { $0.own = min($0.own, priority) } }

  /// Sets the call's own priority, unless a call with a greater number came before. Threads may call this in
  /// another order than that in which they determined the priorities.
  func set(to priority: Priority, number: UInt64) {
    change { state in
      guard number > state.setBy else { return }
      (state.own, state.setBy) = (priority, number)
    }
  }

  /// Sets the highest priority that the call may have; nil for no limit.
  func limit(to priority: Priority?) { change { $0.limit = priority } }

  private func change(_ body: (inout State) -> Void) {
    let (priority, handlers) = state.withLock { state -> (Priority, [@Sendable (Priority) -> Void]) in
      body(&state)
      let priority = min(state.own, state.limit ?? .userInitiated)
      guard priority != current else { return (priority, []) }
      level.store(priority.rawValue, ordering: .relaxed)
      return (priority, state.handlers.map(\.run))
    }
    for handler in handlers { handler(priority) }
  }

  /// Calls `handler` at every later change, and when the call may proceed without a slot, until the handler
  /// is removed. Changes by several threads may be reported in any order.
  func onChange(_ handler: @escaping @Sendable (Priority) -> Void) -> HandlerID {
    state.withLock { state in
      state.lastNumber += 1
      state.handlers.append((state.lastNumber, handler))
      return HandlerID(number: state.lastNumber)
    }
  }

  func removeChangeHandler(_ id: HandlerID) {
    state.withLock { state in state.handlers.removeAll { $0.number == id.number } }
  }
}
