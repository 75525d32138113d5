import ErrandCore

/// Steps for those who follow them: everybody's, or one request's from its beginning.
final class Feedback: Sendable {
  private struct State {
    var everybody = Observers<OutboxEvent>()
    /// Those who only want to know that something has changed.
    var watching = Observers<Void>()
    /// Those who only want to know that something may be over.
    var waiting = Observers<Void>()
    var tracks: [OutboxID: Track] = [:]
    /// How many hold each track.
    var holders: [OutboxID: Int] = [:]
  }

  private let state = Locked(State())

  /// - Parameter event: What is told of a row. Most have nobody who follows them; for these it is not asked.
  func publish(_ rows: [OutboxRow], _ event: (OutboxRow) -> OutboxEvent) {
    let isOver = rows.contains { !$0.state.isOpen }
    let (observers, heard, changed) = state.withLock { state in
      (
        state.everybody.all,
        rows.compactMap { row in
          let track = state.tracks[row.id]
          return track == nil && state.everybody.isEmpty ? nil : (row: row, track: track)
        },
        state.watching.all + (isOver ? state.waiting.all : [])
      )
    }
    for (row, track) in heard {
      let event = event(row)
      for observer in observers { observer.yield(event) }
      track?.add(event, from: row.reading)
    }
    for one in changed { one.yield() }
  }

  /// They have been stored, and nobody has their receipts yet.
  func begin(_ events: [OutboxEvent]) {
    let (observers, tracks, changed) = state.withLock { state in
      (state.everybody.all, events.map { state.tracks[$0.id] }, state.watching.all)
    }
    for (event, track) in zip(events, tracks) { track?.begin(with: event) }
    for event in events { for observer in observers { observer.yield(event) } }
    for one in changed { one.yield() }
  }

  /// What was looked up for those who follow one request; everybody else knows it already.
  func publish(_ rows: [OutboxRow], to followed: [Followed], _ event: (OutboxRow) -> OutboxEvent) {
    let changed = state.withLock { $0.watching.all + $0.waiting.all }
    let tracks = Dictionary(followed.map { ($0.id, $0.track) }) { first, _ in first }
    for row in rows { tracks[row.id]?.add(event(row), from: row.reading) }
    for one in changed { one.yield() }
  }

  /// Something may be over of which no event tells.
  func mayBeOver() {
    for one in state.withLock({ $0.waiting.all }) { one.yield() }
  }

  /// Once now, and then whenever something has changed.
  func changes() -> AsyncStream<Void> { changes(for: \.watching) }

  /// Once now, and then whenever something may be over.
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

  /// Everything that happens from now on.
  func events(limit: Int) -> AsyncStream<OutboxEvent> {
    let (stream, continuation) = AsyncStream<OutboxEvent>.makeStream(bufferingPolicy: .bufferingNewest(limit))
    let id = state.withLock { $0.everybody.add(continuation) }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.everybody.remove(id) }
    }
    return stream
  }

  /// Remembers this request's steps from now on, until `release`.
  func track(_ id: OutboxID) -> Track {
    state.withLock { state in
      let track = state.tracks[id] ?? Track()
      state.tracks[id] = track
      state.holders[id, default: 0] += 1
      return track
    }
  }

  func release(_ id: OutboxID) {
    state.withLock { state in
      guard let holders = state.holders[id] else { return }
      state.holders[id] = holders > 1 ? holders - 1 : nil
      if holders <= 1 { state.tracks[id] = nil }
    }
  }

  /// A request that somebody follows.
  struct Followed {
    let id: OutboxID
    /// False if its storer has not heard yet that it is stored, which it may be all the same.
    let isStored: Bool
    fileprivate let track: Track
  }

  /// The requests that somebody follows and that may change, in an order that does not depend on chance. To be asked for
  /// before the store is asked what has become of them.
  var followed: [Followed] {
    let tracks = state.withLock { $0.tracks }.filter { !$0.value.isOver }
    return tracks.sorted { $0.key.rawValue < $1.key.rawValue }.map { id, track in
      Followed(id: id, isStored: track.hasBegun, track: track)
    }
  }

  /// The same of these, which were found to be stored.
  func followed(_ ids: [OutboxID]) -> [Followed] {
    let tracks = state.withLock { $0.tracks }
    return ids.compactMap { id in
      tracks[id].map { Followed(id: id, isStored: true, track: $0) }
    }
  }

  /// The store knows nothing of these any more.
  func forget(_ followed: [Followed]) {
    for one in followed { one.track.end(isForgotten: true) }
  }

  /// No more will come.
  func end() {
    let (observers, tracks, others) = state.withLock { state in
      (state.everybody.removeAll(), state.tracks, state.watching.removeAll() + state.waiting.removeAll())
    }
    for observer in observers { observer.finish() }
    for one in others { one.finish() }
    for (_, track) in tracks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) { track.end() }
  }
}
