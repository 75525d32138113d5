import ErrandCore

/// Publishes what happens to requests.
extension Desk {
  func tell(_ rows: [OutboxRow]) {
    if !rows.isEmpty { hub.publish(rows, event) }
  }

  /// Returns the step that led to the row's present state.
  func event(_ row: OutboxRow) -> OutboxEvent {
    let event = entry(row).event
    guard case .delivered = event.step, let response = unkept.withLock({ $0[row.id] }) else { return event }
    return OutboxEvent(id: event.id, lane: event.lane, step: .delivered(response), date: event.date)
  }

  /// Keeps a response that must not be stored until it has been published.
  func keepUntilTold(_ response: OutboxResponse?, of id: OutboxID) {
    if let response { unkept.withLock { $0[id] = response } }
  }

  func forgetTold(_ ids: [OutboxID]) {
    unkept.withLock { unkept in
      if !unkept.isEmpty { for id in ids { unkept[id] = nil } }
    }
  }

  /// Publishes what other processes did to the followed requests.
  func catchUp() async { await look(at: hub.followed) }

  /// Publishes the present state of these requests to their logs.
  func look(at followed: [EventHub.Followed]) async {
    guard !followed.isEmpty, let rows = try? await store.rows(followed.map(\.id)) else {
      return hub.publish([], to: [], event)
    }
    hub.forget(zip(followed, rows).filter { $0.isStored && $1 == nil }.map(\.0))
    hub.publish(rows.compactMap(\.self), to: followed, event)
  }

  func report(_ error: any Error) {
    if let error = error as? OutboxError, error.code == .closed { return }
    configuration.onStoreFailure?(error)
  }

  func noting(_ work: () async throws -> Void) async {
    do { try await work() } catch { report(error) }
  }
}
