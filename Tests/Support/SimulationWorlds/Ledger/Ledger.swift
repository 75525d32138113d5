import ErrandCore

/// Records the callers of a world and their outcomes.
final class Ledger: Sendable {
  private struct State {
    var callers: [Caller] = []
    /// The calls of callers whose outcome can be read.
    var calls: [Int: Call] = [:]
    var asks = 0
    var scopes = 0
    /// The number of beginnings and ends.
    var order = 0
    var scopeEnds: [Int: Caller.Leave] = [:]
    var listeners: [Int: Listener] = [:]
    var outage: (start: Duration, end: Duration)?
    var log: [LogLine] = []
  }

  private let state = Locked(State())
  private let isTraced: Bool

  private let repeatsEnds: Bool

  /// - Parameter repeatsEnds: A defect: every outcome is recorded twice.
  init(isTraced: Bool, repeatsEnds: Bool = false) {
    self.isTraced = isTraced
    self.repeatsEnds = repeatsEnds
  }

  var callers: [Caller] { state.withLock { $0.callers } }
  /// The time and reason of each scope's end.
  var scopeEnds: [Int: Caller.Leave] { state.withLock { $0.scopeEnds } }
  var listeners: [Listener] { state.withLock { $0.listeners.values.sorted { $0.id < $1.id } } }
  var log: [LogLine] { state.withLock { $0.log } }

  /// The time in which the machine reported that it had no network.
  var outage: (start: Duration, end: Duration)? { state.withLock { $0.outage } }

  func beginOutage(at time: Duration) {
    state.withLock { $0.outage = (time, .longest) }
    note("the machine is offline", at: time)
  }

  func endOutage(at time: Duration) {
    state.withLock { $0.outage?.end = time }
    note("the machine is online", at: time)
  }

  func nextAsk() -> Int {
    state.withLock { state in
      defer { state.asks += 1 }
      return state.asks
    }
  }

  func nextScope() -> Int {
    state.withLock { state in
      defer { state.scopes += 1 }
      return state.scopes
    }
  }

  func begin(_ ask: Ask, _ role: Caller.Role, at time: Duration) -> Int {
    let caller = state.withLock { state in
      state.order += 1
      state.callers.append(
        Caller(id: state.callers.count, ask: ask, role: role, began: time, order: state.order))
      return state.callers[state.callers.count - 1]
    }
    note("\(caller)", at: time)
    let end = ask.scope.flatMap { scope in state.withLock { $0.scopeEnds[scope] } }
    if let end { leave(caller.id, end.reason, at: time) }
    return caller.id
  }

  /// Registers a caller's call, so that the ledger knows whether there is an outcome before the caller
  /// reports it.
  func watch(_ caller: Int, _ call: Call) { state.withLock { $0.calls[caller] = call } }

  /// Records that the caller is about to be cancelled, unless it has its outcome.
  func leave(_ caller: Int, _ reason: CancellationReason, at time: Duration) {
    let call = state.withLock { $0.calls[caller] }
    let isCertain = call.map { $0.outcome == nil } ?? false
    let isLate = state.withLock { state in
      guard state.callers[caller].ends.isEmpty else { return true }
      state.callers[caller].leaves.append(Caller.Leave(time: time, reason: reason, isCertain: isCertain))
      return false
    }
    if !isLate { note("caller \(caller) is cancelled: \(reason)", at: time) }
  }

  func end(_ caller: Int, _ outcome: Outcome, at time: Duration) {
    state.withLock { state in
      state.order += 1
      let end = Caller.End(time: time, outcome: outcome, order: state.order)
      state.calls[caller] = nil
      state.callers[caller].ends += repeatsEnds ? [end, end] : [end]
    }
    note("caller \(caller) got: \(outcome)", at: time)
  }

  /// Records that scopes are about to end, and that their callers are cancelled.
  func endScopes(_ scopes: [Int], _ reason: CancellationReason, at time: Duration) {
    let leaving = state.withLock { state in
      let ending = Set(scopes).subtracting(state.scopeEnds.keys)
      for scope in ending { state.scopeEnds[scope] = Caller.Leave(time: time, reason: reason) }
      return state.callers.filter { $0.ends.isEmpty && $0.ask.scope.map(ending.contains) ?? false }.map(\.id)
    }
    note("\(reason): \(scopes)", at: time)
    for caller in leaving { leave(caller, reason, at: time) }
  }

  func goes(_ caller: Int, at time: Duration) { state.withLock { $0.callers[caller].gone = time } }

  func hand(over caller: Int, at time: Duration) {
    state.withLock { $0.callers[caller].handed.append(time) }
    note("caller \(caller) is handed its outcome", at: time)
  }

  // MARK: Listeners

  func begin(_ listener: Listener, at time: Duration) {
    state.withLock { $0.listeners[listener.id] = listener }
    note("\(listener)", at: time)
  }

  func hear(_ event: String, _ listener: Int, at time: Duration) {
    state.withLock { $0.listeners[listener]?.events.append(event) }
    note("listener #\(listener) got: \(event)", at: time)
  }

  /// Records that the listener is about to be cancelled, unless its stream has ended.
  func leaveListener(_ listener: Int, at time: Duration) {
    state.withLock { state in
      if state.listeners[listener]?.end == nil { state.listeners[listener]?.left = time }
    }
    note("listener #\(listener) leaves", at: time)
  }

  func end(_ listener: Int, _ end: Listener.End, at time: Duration) {
    state.withLock { $0.listeners[listener]?.end = (time, end) }
    note("the stream of listener #\(listener) ends: \(end)", at: time)
  }

  func note(_ text: @autoclosure () -> String, at time: Duration) {
    guard isTraced else { return }
    let line = LogLine(time: time, text: text())
    state.withLock { $0.log.append(line) }
  }
}
