import ErrandCore

/// What happened to one request, for those who follow it: each sees all of it, whenever it came.
final class Track: Sendable {
  /// Of a request that fails and fails the first steps are forgotten.
  private static let limit = 100

  private struct State {
    var events: [OutboxEvent] = []
    /// Where the events begin of its life now: what is over may be tried again by hand.
    var lifeStart = 0
    /// Counts what was added.
    var version = 0
    var observers = Observers<OutboxEvent>()
    var end: End?
    var isForgotten = false
  }

  private enum End {
    /// It may be tried again by hand.
    case forNow
    case forGood
  }

  private let state = Locked(State())

  /// It is stored, as far as is known here.
  var hasBegun: Bool { state.withLock { !$0.events.isEmpty } }
  /// Its end will never be known here.
  var isForgotten: Bool { state.withLock { $0.isForgotten } }

  /// True once it can change no more.
  var isOver: Bool { state.withLock { $0.end == .forGood } }
  /// Another one after each step but the first.
  var version: Int { state.withLock { $0.version } }

  /// The first step. A quick courier, or a look at the store, may have told of it or of the next one already.
  func begin(with event: OutboxEvent) {
    // Nobody has this track yet who could have seen the others. No look at the store is older than this.
    state.withLock { state in
      guard state.events.first?.step != event.step else { return }
      state.events.insert(event, at: 0)
      if state.lifeStart > 0 { state.lifeStart += 1 }
    }
  }

  /// - Parameter version: What this was before the event was looked up; nil for one that is told as it happens.
  /// - Returns: What it is now, if another step was told since: nobody knows which of the two came first.
  @discardableResult
  func add(_ event: OutboxEvent, asOf version: Int? = nil) -> Int? {
    let outcome = event.outcome
    let (stale, observers) = state.withLock { state -> (Int?, [AsyncStream<OutboxEvent>.Continuation]) in
      guard state.end != .forGood else { return (nil, []) }
      if let version, version != state.version { return (state.version, []) }
      // What another process did is seen once, whoever saw it first.
      guard state.events.last?.step != event.step else { return (nil, []) }
      if state.end == .forNow {
        state.lifeStart = state.events.count
        state.end = nil
      }
      state.events.append(event)
      state.version += 1
      if state.events.count > Self.limit {
        state.events.removeFirst()
        state.lifeStart = max(0, state.lifeStart - 1)
      }
      guard let outcome else { return (nil, state.observers.all) }
      state.end = outcome.mayBeUndone ? .forNow : .forGood
      return (nil, state.observers.removeAll())
    }
    for observer in observers {
      observer.yield(event)
      if outcome != nil { observer.finish() }
    }
    return stale
  }

  /// No more will come.
  /// - Parameter isForgotten: The store knows nothing of it any more.
  func end(isForgotten: Bool = false) {
    let observers = state.withLock { state in
      if state.end == nil { state.isForgotten = isForgotten }
      state.end = .forGood
      return state.observers.removeAll()
    }
    for observer in observers { observer.finish() }
  }

  /// From the first step on; ends with the last one.
  var events: AsyncStream<OutboxEvent> { events(fromBirth: true) }

  /// The same, without what was before it was tried again by hand.
  var eventsOfLife: AsyncStream<OutboxEvent> { events(fromBirth: false) }

  private func events(fromBirth: Bool) -> AsyncStream<OutboxEvent> {
    let (stream, continuation) = AsyncStream<OutboxEvent>.makeStream()
    let id = state.withLock { state -> Int? in
      // Nobody waits for this stream yet, so this wakes nobody.
      for event in state.events.dropFirst(fromBirth ? 0 : state.lifeStart) { continuation.yield(event) }
      return state.end == nil ? state.observers.add(continuation) : nil
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.observers.remove(id) }
    }
    return stream
  }
}

extension OutboxOutcome {
  /// What is set aside or has expired may be tried again by hand.
  var mayBeUndone: Bool {
    switch self {
    case .setAside, .expired: true
    case .delivered, .dropped: false
    }
  }
}
