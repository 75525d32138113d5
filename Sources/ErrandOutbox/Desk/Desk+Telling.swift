import ErrandCore

/// Who is told of what has become of requests.
extension Desk {
  func tell(_ rows: [OutboxRow]) {
    if !rows.isEmpty { feedback.publish(rows, event) }
  }

  /// The step that led to what a row is now.
  func event(_ row: OutboxRow) -> OutboxEvent {
    let event = entry(row).event
    guard case .delivered = event.step, let answer = unkept.withLock({ $0[row.id] }) else { return event }
    return OutboxEvent(id: event.id, lane: event.lane, step: .delivered(answer), date: event.date)
  }

  /// A response that must not be kept is there until those who follow its request are told.
  func keepUntilTold(_ answer: OutboxAnswer?, of id: OutboxID) {
    if let answer { unkept.withLock { $0[id] = answer } }
  }

  func forgetTold(_ ids: [OutboxID]) {
    unkept.withLock { unkept in
      if !unkept.isEmpty { for id in ids { unkept[id] = nil } }
    }
  }

  /// Those who follow one request hear of what others have done.
  func catchUp() async { await look(at: feedback.followed) }

  /// Those who follow these hear what they are now.
  func look(at followed: [Feedback.Followed]) async {
    guard !followed.isEmpty, let rows = try? await store.rows(followed.map(\.id)) else {
      return feedback.publish([], to: [], event)
    }
    feedback.forget(zip(followed, rows).filter { $0.isStored && $1 == nil }.map(\.0))
    feedback.publish(rows.compactMap(\.self), to: followed, event)
  }

  func report(_ error: any Error) {
    if let error = error as? OutboxError, error.code == .closed { return }
    configuration.onStoreFailure?(error)
  }

  func noting(_ work: () async throws -> Void) async {
    do { try await work() } catch { report(error) }
  }
}
