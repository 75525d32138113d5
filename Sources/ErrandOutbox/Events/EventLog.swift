import ErrandCore

/// The events of one request. Each observer receives all of them, whenever it subscribes.
final class EventLog: Sendable {
  /// The most events that are kept. When more arrive, the log drops the oldest.
  private static let limit = 100

  private struct State {
    var events: [OutboxEvent] = []
    /// The index of the first event since the last retry by hand.
    var lifeStart = 0
    /// The number of events that were added.
    var steps = 0
    /// The latest reading of the store that was added.
    var reading = OutboxRow.Reading.unknown
    var observers = Observers<OutboxEvent>()
    /// The latest progress of the upload.
    var progress: TransferProgress?
    var progressObservers = Observers<TransferProgress>()
    var end: End?
    var isForgotten = false

    mutating func append(_ new: [OutboxEvent]) {
      events += new
      steps += new.count
      let surplus = max(0, events.count - EventLog.limit)
      events.removeFirst(surplus)
      lifeStart = max(0, lifeStart - surplus)
    }
  }

  private enum End {
    /// The request may be retried by hand.
    case forNow
    case forGood
  }

  private let state = Locked(State())

  /// True if the request is known to be stored.
  var hasBegun: Bool { state.withLock { !$0.events.isEmpty } }
  /// True if the store forgot the request before this log learned its end.
  var isForgotten: Bool { state.withLock { $0.isForgotten } }

  /// True once the request cannot change any more.
  var isOver: Bool { state.withLock { $0.end == .forGood } }
  /// The number of steps after the first.
  var steps: Int { state.withLock { $0.steps } }

  /// Adds the first step. A fast dispatcher, or a look at the store, may have added it or the next one
  /// already.
  func begin(with event: OutboxEvent) {
    // No receipt has this log yet, so no observer has seen the later events. No reading of the store is older
    // than this step.
    state.withLock { state in
      guard state.events.first?.step != event.step else { return }
      state.events.insert(event, at: 0)
      if state.lifeStart > 0 { state.lifeStart += 1 }
    }
  }

  /// Adds an event. If the event is only possible after a retry by hand that this log has not received, the
  /// log adds that retry first: the first attempt may begin before the retry is published.
  /// - Parameter reading: The reading of the store that the event comes from. A reading older than the latest
  ///   one is ignored, because its task was late.
  func add(_ event: OutboxEvent, from reading: OutboxRow.Reading) {
    let outcome = event.outcome
    let (events, observers, watchers) = state.withLock {
      state -> (
        [OutboxEvent], [Observers<OutboxEvent>.Continuation], [Observers<TransferProgress>.Continuation]
      )
      in
      guard state.end != .forGood, !reading.isBefore(state.reading) else { return ([], [], []) }
      state.reading = reading
      // Another process's change may be read several times, and is published once.
      guard state.events.last?.step != event.step else { return ([], [], []) }
      var events = [event]
      if state.end == .forNow {
        if event.comesAfterStored {
          events.insert(OutboxEvent(id: event.id, lane: event.lane, step: .stored, date: event.date), at: 0)
        }
        state.lifeStart = state.events.count
        state.end = nil
      }
      state.append(events)
      guard let outcome else { return (events, state.observers.all, []) }
      state.end = outcome.mayBeUndone ? .forNow : .forGood
      return (events, state.observers.removeAll(), state.progressObservers.removeAll())
    }
    for watcher in watchers { watcher.finish() }
    for observer in observers {
      for event in events { observer.yield(event) }
      if outcome != nil { observer.finish() }
    }
  }

  /// Ends the log.
  /// - Parameter isForgotten: True if the store does not know the request any more.
  func end(isForgotten: Bool = false) {
    let (observers, watchers) = state.withLock { state in
      if state.end == nil { state.isForgotten = isForgotten }
      state.end = .forGood
      return (state.observers.removeAll(), state.progressObservers.removeAll())
    }
    for observer in observers { observer.finish() }
    for watcher in watchers { watcher.finish() }
  }

  // MARK: Progress

  var hasProgress: Bool { state.withLock { $0.progress != nil } }

  /// Reports the progress of the upload.
  /// - Parameter isEarlier: True for that of an earlier attempt, which is only reported before any other.
  func report(_ progress: TransferProgress, isEarlier: Bool = false) {
    let watchers = state.withLock { state -> [Observers<TransferProgress>.Continuation] in
      if isEarlier, state.progress != nil { return [] }
      state.progress = progress
      return state.progressObservers.all
    }
    for watcher in watchers { watcher.yield(progress) }
  }

  /// The latest progress, and that from now on. The stream ends with the request's last step.
  var progress: AsyncStream<TransferProgress> {
    stream(to: \.progressObservers, .bufferingNewest(1)) { $0.progress.map { [$0] } ?? [] }
  }

  /// The events from the first step on. The stream ends with the last one.
  var events: AsyncStream<OutboxEvent> { events(fromBirth: true) }

  /// The events since the last retry by hand. The stream ends with the last one.
  var eventsOfLife: AsyncStream<OutboxEvent> { events(fromBirth: false) }

  private func events(fromBirth: Bool) -> AsyncStream<OutboxEvent> {
    stream(to: \.observers, .unbounded) { $0.events.dropFirst(fromBirth ? 0 : $0.lifeStart) }
  }

  /// Returns a stream of what is known already, and of what these observers get until the log ends.
  private func stream<Element, Known: Sequence<Element>>(
    to observers: any WritableKeyPath<State, Observers<Element>> & Sendable,
    _ buffering: AsyncStream<Element>.Continuation.BufferingPolicy, beginningWith known: (State) -> Known
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: buffering)
    let id = state.withLock { state -> Int? in
      // This stream has no consumer yet, so yielding under the lock resumes no task.
      for element in known(state) { continuation.yield(element) }
      return state.end == nil ? state[keyPath: observers].add(continuation) : nil
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0[keyPath: observers].remove(id) }
    }
    return stream
  }
}

extension OutboxEvent {
  /// False for the step that stores a request, and for the step that drops it in any state.
  fileprivate var comesAfterStored: Bool {
    switch step {
    case .stored, .dropped: false
    case .attempting, .failed, .delivered, .deadLettered, .expired: true
    }
  }
}

extension OutboxOutcome {
  /// True for dead letters and expired requests: they may be retried by hand.
  var mayBeUndone: Bool {
    switch self {
    case .deadLettered, .expired: true
    case .delivered, .dropped: false
    }
  }
}

/// The continuations of the streams that observe something.
struct Observers<Element: Sendable>: Sendable {
  typealias Continuation = AsyncStream<Element>.Continuation

  private var continuations: [(id: Int, continuation: Continuation)] = []
  private var last = 0

  var isEmpty: Bool { continuations.isEmpty }

  /// The continuations in the order in which they were added.
  var all: [Continuation] { continuations.map(\.continuation) }

  mutating func add(_ continuation: Continuation) -> Int {
    last += 1
    continuations.append((last, continuation))
    return last
  }

  mutating func remove(_ id: Int) { continuations.removeAll { $0.id == id } }

  mutating func removeAll() -> [Continuation] {
    defer { continuations = [] }
    return all
  }
}
