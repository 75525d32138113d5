extension Outbox {
  /// Returns what is known of a request, of this launch or an earlier one; nil if nothing is, or if it was
  /// forgotten.
  public func status(of id: OutboxID) async throws -> OutboxEntry? {
    try await store.row(id).map(storage.entry)
  }

  /// Returns a receipt for a request of which only the id is left, as after a restart. Its events begin with
  /// the present state.
  /// - Returns: Nil if nothing is known of the request.
  public func receipt(for id: OutboxID) async throws -> Receipt? {
    let receipt = Receipt(id, hub.log(id), self, isNew: false)
    let followed = hub.followed([id])
    guard let row = try await store.row(id) else { return nil }
    hub.publish([row], to: followed)
    return receipt
  }

  /// The events of this process from now on, and those that it learns of other processes. A consumer that is
  /// slow misses the oldest beyond 10,000.
  public var events: AsyncStream<OutboxEvent> { hub.events(limit: 10_000) }

  /// A stream that yields once now, and then whenever something may have changed. Changes of this process are
  /// signalled at once; those of other processes as soon as this one learns of them, which may be late for
  /// the beginnings of their attempts. Several changes may be one signal. Ends when the outbox is closed.
  public var changes: AsyncStream<Void> { hub.changes() }

  /// Returns a page of requests, in the order of enqueue.
  /// - Parameters:
  ///   - sequence: Requests after this one are returned; 0 for the first page, then the last one's
  ///     `sequence`.
  ///   - limit: The most that are returned. Default: 100.
  public func list(
    _ selection: OutboxSelection = .all, after sequence: Int64 = 0, limit: Int = 100
  ) async throws -> [OutboxEntry] {
    try await store.list(selection, after: sequence, limit: limit).map(storage.entry)
  }

  /// Returns requests that are being attempted by processes that are gone or hang, and that no other process has taken
  /// over: their leases ended at least this long ago. `retry(_:force:)` frees them.
  /// - Parameters:
  ///   - duration: A process that works takes such a request over sooner. Default: 60 s.
  ///   - limit: The most that are returned, the one that was claimed first before the others. Default: 100.
  public func abandoned(for duration: Duration = .seconds(60), limit: Int = 100) async throws -> [OutboxEntry]
  {
    try await store.abandoned(for: duration, limit: limit).map(storage.entry)
  }

  public func statistics() async throws -> OutboxStatistics { try await store.statistics() }

  /// Returns what each lane holds, the one with the oldest request first. Deliveries do not wait for it. It takes
  /// up to a second for a million requests.
  /// - Throws: `OutboxError`.
  public func laneStatistics() async throws -> [LaneStatistics] { try await store.laneStatistics() }

  /// Returns the origins to which nothing is sent for a while, and why.
  public func heldOrigins() async throws -> [HeldOrigin] {
    try await store.statistics().heldOrigins.map(storage.heldOrigin)
  }

  // MARK: Waiting

  /// Waits until no request is left that may be delivered without help: all are delivered, dead letters,
  /// expired or dropped. Paused requests, and those that other processes attempt, are waited for as well.
  /// - Throws: `CancellationError` if the task is cancelled; `OutboxError.closed` if the outbox is closed
  ///   first.
  public func waitUntilEmpty() async throws {
    // While the dispatcher has work, the store need not be asked.
    for await _ in hub.ends() where dispatcher.claimsWhileIdle != nil {
      let counts = try await statistics().counts
      if counts[.stored, default: 0] + counts[.attempting, default: 0] == 0 { return }
    }
    try Task.checkCancellation()
    throw OutboxError(.closed, "the outbox was closed")
  }

  /// Waits until no request is left that this process may attempt now. Requests that wait for the time of
  /// their next attempt, that are paused or that other processes attempt are not waited for.
  /// - Throws: `CancellationError` if the task is cancelled; `OutboxError.closed` if the outbox is closed
  ///   first.
  public func waitUntilIdle() async throws {
    for await _ in hub.ends() {
      guard let claims = dispatcher.claimsWhileIdle else { continue }
      let statistics = try await statistics()
      // Requests that the dispatcher claimed meanwhile are missing in these statistics.
      guard dispatcher.claimsWhileIdle == claims else { continue }
      let isReady = statistics.nextDue == nil && !statistics.isHeld && !statistics.isPaused
      if statistics.counts[.stored, default: 0] == 0 || !isReady { return }
    }
    try Task.checkCancellation()
    throw OutboxError(.closed, "the outbox was closed")
  }
}
