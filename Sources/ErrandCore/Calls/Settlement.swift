/// How something ended, once it has, and who waits to hear it.
final class Settlement<Value: Sendable>: Sendable {
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

  /// The first outcome counts. Returns false if this is a later one.
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

  /// Tells `listener` once; at once, and without an identifier, if it is settled.
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
