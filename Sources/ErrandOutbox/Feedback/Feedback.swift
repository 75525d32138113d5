import ErrandCore

/// Steps for those who follow them: everybody's, or one request's from its beginning.
final class Feedback: Sendable {
  private struct State {
    var everybody = Observers<OutboxEvent>()
    /// Those who only want to know that something has changed.
    var waiting = Observers<Void>()
    var tracks: [OutboxID: Track] = [:]
    /// How many hold each track.
    var holders: [OutboxID: Int] = [:]
  }

  private let state = Locked(State())

  /// Those of which somebody would hear.
  func heard(_ rows: [OutboxRow]) -> [OutboxRow] {
    state.withLock { state in
      state.everybody.isEmpty ? rows.filter { state.tracks[$0.id] != nil } : rows
    }
  }

  /// - Parameter events: What somebody may hear of; that something has changed is told in any case.
  func publish(_ events: [OutboxEvent]) {
    let (observers, tracks, waiting) = state.withLock { state in
      (
        state.everybody.all, state.tracks.isEmpty ? [] : events.map { state.tracks[$0.id] },
        state.waiting.all
      )
    }
    for event in events { for observer in observers { observer.yield(event) } }
    for (event, track) in zip(events, tracks) { track?.add(event) }
    for one in waiting { one.yield() }
  }

  /// They have been stored, and nobody has their receipts yet.
  func begin(_ events: [OutboxEvent]) {
    let (observers, tracks) = state.withLock { state in
      (state.everybody.all, events.map { state.tracks[$0.id] })
    }
    for (event, track) in zip(events, tracks) { track?.begin(with: event) }
    for event in events { for observer in observers { observer.yield(event) } }
  }

  /// What is already known to all but those who follow one request.
  func publish(toTracks events: [OutboxEvent]) {
    let (tracks, waiting) = state.withLock { state in (events.map { state.tracks[$0.id] }, state.waiting.all)
    }
    for (event, track) in zip(events, tracks) { track?.add(event) }
    for one in waiting { one.yield() }
  }

  /// Once now, and then whenever something has changed.
  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    let id = state.withLock { $0.waiting.add(continuation) }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.waiting.remove(id) }
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

  /// The stored requests that somebody follows, in an order that does not depend on chance.
  var followed: [OutboxID] {
    let tracks = state.withLock { $0.tracks }
    return tracks.filter { $0.value.hasBegun }.keys.sorted { $0.rawValue < $1.rawValue }
  }

  /// The store knows nothing of them any more.
  func forget(_ ids: [OutboxID]) {
    for track in state.withLock({ state in ids.map { state.tracks[$0] } }) { track?.end(isForgotten: true) }
  }

  /// No more will come.
  func end() {
    let (observers, tracks, waiting) = state.withLock { state in
      (state.everybody.removeAll(), state.tracks, state.waiting.removeAll())
    }
    for observer in observers { observer.finish() }
    for one in waiting { one.finish() }
    for (_, track) in tracks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) { track.end() }
  }
}
