import ErrandCore

/// What happened to one request, for those who follow it: each sees all of it, whenever it came.
final class Track: Sendable {
  /// Of a request that fails and fails the first steps are forgotten.
  private static let limit = 100

  private struct State {
    var events: [OutboxEvent] = []
    var observers = Observers<OutboxEvent>()
    var isOver = false
    var isForgotten = false
  }

  private let state = Locked(State())

  /// It is stored, as far as is known here.
  var hasBegun: Bool { state.withLock { !$0.events.isEmpty } }
  /// Its end will never be known here.
  var isForgotten: Bool { state.withLock { $0.isForgotten } }

  /// The first step. A quick courier, or a look at the store, may have told of it or of the next one already.
  func begin(with event: OutboxEvent) {
    // Nobody has this track yet who could have seen the others.
    state.withLock { state in
      if state.events.first?.step != event.step { state.events.insert(event, at: 0) }
    }
  }

  func add(_ event: OutboxEvent) {
    let isLast = event.outcome != nil
    let observers = state.withLock { state -> [AsyncStream<OutboxEvent>.Continuation] in
      // What another process did is seen once, whoever saw it first.
      guard !state.isOver, state.events.last?.step != event.step else { return [] }
      state.events.append(event)
      if state.events.count > Self.limit { state.events.removeFirst() }
      state.isOver = isLast
      return isLast ? state.observers.removeAll() : state.observers.all
    }
    for observer in observers {
      observer.yield(event)
      if isLast { observer.finish() }
    }
  }

  /// No more will come.
  /// - Parameter isForgotten: The store knows nothing of it any more.
  func end(isForgotten: Bool = false) {
    let observers = state.withLock { state in
      if !state.isOver { state.isForgotten = isForgotten }
      state.isOver = true
      return state.observers.removeAll()
    }
    for observer in observers { observer.finish() }
  }

  /// From the first step on; ends with the last one.
  var events: AsyncStream<OutboxEvent> {
    let (stream, continuation) = AsyncStream<OutboxEvent>.makeStream()
    let id = state.withLock { state -> Int? in
      // Nobody waits for this stream yet, so this wakes nobody.
      for event in state.events { continuation.yield(event) }
      return state.isOver ? nil : state.observers.add(continuation)
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
