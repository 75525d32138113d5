import ErrandCore

/// Publishes changes of requests: to observers of all requests, and to the logs of single ones.
final class EventHub: Sendable {
  private struct State {
    var everybody = Observers<OutboxEvent>()
    /// Observers that are signalled when something has changed.
    var watching = Observers<Void>()
    /// Observers that are signalled when requests may have ended.
    var waiting = Observers<Void>()
    var logs: [OutboxID: EventLog] = [:]
    /// The number of holders of each log.
    var holders: [OutboxID: Int] = [:]
  }

  private let store: any OutboxStore
  private let storage: RequestStorage
  private let state = Locked(State())
  /// The ends that this process has recorded, for metrics.
  let recorded = Locked(OutboxEnds())
  /// Responses that must not be stored, while the ends of their attempts are being recorded.
  let unstored = Locked<[OutboxID: OutboxResponse]>([:])

  init(_ store: any OutboxStore, _ storage: RequestStorage) {
    self.store = store
    self.storage = storage
  }

  // MARK: Publishing

  /// Publishes rows that this process changed.
  func publish(_ rows: [OutboxRow]) {
    if rows.isEmpty { return }
    recorded.withLock { $0.add(rows) }
    let isOver = rows.contains { !$0.state.isOpen }
    let (observers, heard, changed) = state.withLock { state in
      (
        state.everybody.all,
        rows.compactMap { row in
          let log = state.logs[row.id]
          return log == nil && state.everybody.isEmpty ? nil : (row: row, log: log)
        },
        state.watching.all + (isOver ? state.waiting.all : [])
      )
    }
    // Most rows have no observer, and are not decoded.
    for (row, log) in heard {
      let event = event(row)
      for observer in observers { observer.yield(event) }
      log?.add(event, from: row.reading)
    }
    for one in changed { one.yield() }
  }

  /// Publishes that requests were stored. Their receipts have not been returned yet.
  func begin(_ events: [OutboxEvent]) {
    let (observers, logs, changed) = state.withLock { state in
      (state.everybody.all, events.map { state.logs[$0.id] }, state.watching.all)
    }
    for (event, log) in zip(events, logs) { log?.begin(with: event) }
    for event in events { for observer in observers { observer.yield(event) } }
    for one in changed { one.yield() }
  }

  /// Publishes rows that were looked up for followed requests, to the logs of these only. Other observers
  /// have had their events already.
  func publish(_ rows: [OutboxRow], to followed: [Followed]) {
    let changed = state.withLock { $0.watching.all + $0.waiting.all }
    let logs = Dictionary(followed.map { ($0.id, $0.log) }) { first, _ in first }
    for row in rows { logs[row.id]?.add(event(row), from: row.reading) }
    for one in changed { one.yield() }
  }

  /// Publishes what other processes changed in the followed requests.
  func catchUp() async { await catchUp(on: followed) }

  /// Publishes the present state of these requests to their logs.
  func catchUp(on followed: [Followed]) async {
    guard !followed.isEmpty, let rows = try? await store.rows(followed.map(\.id)) else {
      return publish([], to: [])
    }
    forget(zip(followed, rows).filter { $0.isStored && $1 == nil }.map(\.0))
    publish(rows.compactMap(\.self), to: followed)
  }

  /// Returns the step that led to the row's present state.
  private func event(_ row: OutboxRow) -> OutboxEvent {
    let event = storage.entry(row).event
    guard case .delivered = event.step, let response = unstored.withLock({ $0[row.id] }) else { return event }
    return OutboxEvent(id: event.id, lane: event.lane, step: .delivered(response), date: event.date)
  }

  /// Reports the progress of an upload.
  func report(_ progress: TransferProgress, of id: OutboxID) {
    state.withLock { $0.logs[id] }?.report(progress)
  }

  /// Remembers a response that must not be stored until it has been published.
  func remember(_ response: OutboxResponse?, of id: OutboxID) {
    if let response { unstored.withLock { $0[id] = response } }
  }

  /// Forgets the responses that were published.
  func forgetResponses(of ids: [OutboxID]) {
    unstored.withLock { unstored in
      if !unstored.isEmpty { for id in ids { unstored[id] = nil } }
    }
  }

  /// Signals that requests may have ended without an event.
  func mayBeOver() {
    for one in state.withLock({ $0.waiting.all }) { one.yield() }
  }

  // MARK: Streams

  /// A stream that yields once at the start, and then whenever something has changed.
  func changes() -> AsyncStream<Void> { changes(for: \.watching) }

  /// A stream that yields once at the start, and then whenever requests may have ended.
  func ends() -> AsyncStream<Void> { changes(for: \.waiting) }

  private func changes(
    for observers: any WritableKeyPath<State, Observers<Void>> & Sendable
  ) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    let id = state.withLock { $0[keyPath: observers].add(continuation) }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0[keyPath: observers].remove(id) }
    }
    return stream
  }

  /// A stream of all events from now on.
  /// - Parameter limit: The most events that are buffered; older ones are dropped.
  func events(limit: Int) -> AsyncStream<OutboxEvent> {
    let (stream, continuation) = AsyncStream<OutboxEvent>.makeStream(bufferingPolicy: .bufferingNewest(limit))
    let id = state.withLock { $0.everybody.add(continuation) }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.everybody.remove(id) }
    }
    return stream
  }

  // MARK: Logs

  /// Returns the log of a request, which records its steps until `release`.
  func log(_ id: OutboxID) -> EventLog {
    state.withLock { state in
      let log = state.logs[id] ?? EventLog()
      state.logs[id] = log
      state.holders[id, default: 0] += 1
      return log
    }
  }

  func release(_ id: OutboxID) {
    state.withLock { state in
      guard let holders = state.holders[id] else { return }
      state.holders[id] = holders > 1 ? holders - 1 : nil
      if holders <= 1 { state.logs[id] = nil }
    }
  }

  /// A request that has a log.
  struct Followed {
    let id: OutboxID
    /// False if `enqueue` has not yet reported that the request is stored, though it may be.
    let isStored: Bool
    fileprivate let log: EventLog
  }

  /// The requests that have logs and can still change, in an order that does not depend on hashing. Read it
  /// before you read their rows from the store.
  var followed: [Followed] {
    let logs = state.withLock { $0.logs }.filter { !$0.value.isOver }
    return logs.sorted { $0.key.rawValue < $1.key.rawValue }.map { id, log in
      Followed(id: id, isStored: log.hasBegun, log: log)
    }
  }

  /// Returns the logs of these requests, which were found in the store.
  func followed(_ ids: [OutboxID]) -> [Followed] {
    let logs = state.withLock { $0.logs }
    return ids.compactMap { id in
      logs[id].map { Followed(id: id, isStored: true, log: $0) }
    }
  }

  /// Ends the logs of requests that the store does not know any more.
  private func forget(_ followed: [Followed]) {
    for one in followed { one.log.end(isForgotten: true) }
  }

  /// Ends all streams and logs.
  func end() {
    let (observers, logs, others) = state.withLock { state in
      (state.everybody.removeAll(), state.logs, state.watching.removeAll() + state.waiting.removeAll())
    }
    for observer in observers { observer.finish() }
    for one in others { one.finish() }
    for (_, log) in logs.sorted(by: { $0.key.rawValue < $1.key.rawValue }) { log.end() }
  }
}
