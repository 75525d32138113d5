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
    var steps = 0
    /// The latest reading of the store that it knows of.
    var reading = OutboxRow.Reading.unknown
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
  /// How many steps there were but the first.
  var steps: Int { state.withLock { $0.steps } }

  /// The first step. A quick courier, or a look at the store, may have told of it or of the next one already.
  func begin(with event: OutboxEvent) {
    // Nobody has this track yet who could have seen the others. No look at the store is older than this.
    state.withLock { state in
      guard state.events.first?.step != event.step else { return }
      state.events.insert(event, at: 0)
      if state.lifeStart > 0 { state.lifeStart += 1 }
    }
  }

  /// - Parameter reading: What it was told by. One that is older than what is known, because its task came later, tells
  ///   nothing.
  func add(_ event: OutboxEvent, from reading: OutboxRow.Reading) {
    let outcome = event.outcome
    let observers = state.withLock { state -> [AsyncStream<OutboxEvent>.Continuation] in
      guard state.end != .forGood, !reading.isBefore(state.reading) else { return [] }
      state.reading = reading
      // What another process did is seen once, whoever saw it first.
      guard state.events.last?.step != event.step else { return [] }
      if state.end == .forNow {
        state.lifeStart = state.events.count
        state.end = nil
      }
      state.events.append(event)
      state.steps += 1
      if state.events.count > Self.limit {
        state.events.removeFirst()
        state.lifeStart = max(0, state.lifeStart - 1)
      }
      guard let outcome else { return state.observers.all }
      state.end = outcome.mayBeUndone ? .forNow : .forGood
      return state.observers.removeAll()
    }
    for observer in observers {
      observer.yield(event)
      if outcome != nil { observer.finish() }
    }
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
