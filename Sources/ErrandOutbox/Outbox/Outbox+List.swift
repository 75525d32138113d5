extension Outbox {
  /// Returns the entry of a request, of this launch or an earlier one; nil if the outbox does not know it, or
  /// not any more.
  /// - Throws: `OutboxError`.
  public func status(of id: OutboxID) async throws -> OutboxEntry? {
    try await store.row(id).map(storage.entry)
  }

  /// Returns a receipt for a request by its id, such as after a restart. Its events begin with the present
  /// state.
  /// - Returns: Nil if the outbox does not know the request.
  /// - Throws: `OutboxError`.
  public func receipt(for id: OutboxID) async throws -> Receipt? {
    let receipt = Receipt(id, hub.log(id), self, isNew: false)
    let followed = hub.followed([id])
    guard let row = try await store.row(id) else { return nil }
    hub.publish([row], to: followed)
    return receipt
  }

  /// The events of this process from now on, and those of other processes that this one learns. A slow
  /// consumer misses the oldest events beyond 10,000.
  public var events: AsyncStream<OutboxEvent> { hub.events(limit: 10_000) }

  /// A stream that yields once at the start, and then whenever something may have changed. Changes of this
  /// process are signalled at once. Changes of other processes are signalled as soon as this one learns of
  /// them, which may be late for the beginnings of attempts. One signal may stand for several changes. The
  /// stream ends when the outbox is closed.
  package var changes: AsyncStream<Void> { hub.changes() }

  /// Returns a page of requests, in the order of enqueue. `entries` reads all pages.
  /// - Parameters:
  ///   - selection: The requests. Default: all.
  ///   - sequence: Requests after this one are returned. Pass 0 for the first page, and then the `sequence`
  ///     of the last entry. Default: 0.
  ///   - limit: The most requests that are returned. Default: 100.
  /// - Throws: `OutboxError`.
  public func list(
    _ selection: OutboxSelection = .all, after sequence: Int64 = 0, limit: Int = 100
  ) async throws -> [OutboxEntry] {
    try await store.list(selection, after: sequence, limit: limit).map(storage.entry)
  }

  /// Returns requests that are being attempted by processes that are gone or hang, and that no other process
  /// has taken over. Their leases ended at least this long ago. `retry(_:force:)` frees them.
  /// - Parameters:
  ///   - duration: The shortest time since the end of the lease. A process that works takes such a request
  ///     over sooner. Default: 60 s.
  ///   - limit: The most requests that are returned; the request that was claimed first comes first.
  ///     Default: 100.
  /// - Throws: `OutboxError`.
  public func abandoned(for duration: Duration = .seconds(60), limit: Int = 100) async throws -> [OutboxEntry]
  {
    try await store.abandoned(for: duration, limit: limit).map(storage.entry)
  }

  /// Returns the numbers of requests and bytes, the pauses and the held origins.
  /// - Throws: `OutboxError`.
  public func statistics() async throws -> OutboxStatistics { try await store.statistics() }

  /// Returns the statistics of each lane. The lane with the oldest request comes first. Deliveries do not
  /// wait for this call, which takes up to a second for a million requests.
  /// - Throws: `OutboxError`.
  public func laneStatistics() async throws -> [LaneStatistics] { try await store.laneStatistics() }

  /// Returns the origins to which nothing is sent for a while, and why.
  /// - Throws: `OutboxError`.
  public func heldOrigins() async throws -> [HeldOrigin] {
    try await store.statistics().heldOrigins.map(storage.heldOrigin)
  }

  // MARK: Waiting

  /// Waits until every request is delivered, a dead letter, expired or dropped. It also waits for paused
  /// requests, and for requests that other processes attempt.
  /// - Throws: `CancellationError` if the task is cancelled; `OutboxError.closed` if the outbox is closed
  ///   first.
  public func waitUntilEmpty() async throws {
    // While the dispatcher has work, the store cannot be empty, and need not be read.
    for await _ in hub.ends() where dispatcher.claimsWhileIdle != nil {
      let counts = try await statistics().counts
      if counts[.stored, default: 0] + counts[.attempting, default: 0] == 0 { return }
    }
    try Task.checkCancellation()
    throw OutboxError(.closed, "the outbox was closed")
  }

  /// Waits until this process may attempt none of the requests now. It does not wait for requests whose
  /// next attempt is due later, that are paused, or that other processes attempt.
  /// - Throws: `CancellationError` if the task is cancelled; `OutboxError.closed` if the outbox is closed
  ///   first.
  public func waitUntilIdle() async throws {
    for await _ in hub.ends() {
      guard let claims = dispatcher.claimsWhileIdle else { continue }
      let statistics = try await statistics()
      // The statistics lack the requests that the dispatcher claimed in the meantime.
      guard dispatcher.claimsWhileIdle == claims else { continue }
      let isReady = statistics.nextDue == nil && !statistics.isHeld && !statistics.isPaused
      if statistics.counts[.stored, default: 0] == 0 || !isReady { return }
    }
    try Task.checkCancellation()
    throw OutboxError(.closed, "the outbox was closed")
  }
}
