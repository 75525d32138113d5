/// The outcome of an operation, once it has ended, and the listeners that wait for it.
final class Promise<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, any Error>
  typealias Listener = @Sendable (Outcome) -> Void
  typealias ListenerID = Slab<Listener>.Token

  private struct State {
    var outcome: Outcome?
    var listeners = Slab<Listener>()
  }

  private let state = Locked(State())

  init() {}

  var outcome: Outcome? { state.withLock { $0.outcome } }

  /// Sets the outcome, unless there is one already. Returns false in that case.
  @discardableResult
  func settle(_ outcome: Outcome) -> Bool {
    let listeners = state.withLock { state -> [Listener]? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.listeners = Slab() }
      return state.listeners.values
    }
    for listener in listeners ?? [] { listener(outcome) }
    return listeners != nil
  }

  /// Calls `listener` once with the outcome: at once, and returning nil, if the promise is settled.
  func listen(_ listener: @escaping Listener) -> ListenerID? {
    let (id, outcome) = state.withLock { state -> (ListenerID?, Outcome?) in
      if let outcome = state.outcome { return (nil, outcome) }
      return (state.listeners.insert(listener), nil)
    }
    if let outcome { listener(outcome) }
    return id
  }

  func stopListening(_ id: ListenerID) { state.withLock { _ = $0.listeners.remove(id) } }
}
