public import ErrandCore
public import ErrandUploads

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Outbox {
  /// Stores a request. It is durable when this returns.
  /// - Parameters:
  ///   - lane: Requests of one lane are sent one at a time, in the order in which they were enqueued. A
  ///     request without a lane waits for no other.
  ///   - priority: The priority compared with other lanes. Default: the request's priority.
  ///   - expires: The time from now in which the request may be delivered.
  ///     Default: `OutboxConfiguration.lifetime`.
  ///   - notBefore: When the first attempt may begin. Default: at once.
  ///   - id: The id. If several requests have the same id, only the first is stored (`Receipt.isNew`).
  ///     Default: a new one.
  ///   - resuming: Whether and how the upload of a large body continues after an interruption: see
  ///     ``OutboxItem/resuming``. Default: nil, each attempt sends the whole body.
  /// - Throws: `OutboxError`; then nothing is stored.
  @discardableResult
  public func enqueue(
    _ request: Request, lane: String? = nil, priority: Priority? = nil, expires: Duration? = nil,
    notBefore: Date? = nil, id: OutboxID? = nil, resuming: UploadResumption? = nil
  ) async throws -> Receipt {
    try await enqueue(
      OutboxItem(
        request, lane: lane, priority: priority, expires: expires, notBefore: notBefore, id: id,
        resuming: resuming))
  }

  /// Stores a request. It is durable when this returns.
  /// - Throws: `OutboxError`; then nothing is stored.
  @discardableResult
  public func enqueue(_ item: OutboxItem) async throws -> Receipt { try await enqueue([item])[0] }

  /// Stores requests of one lane, in this order, all or none.
  /// - Throws: `OutboxError`; then nothing is stored.
  @discardableResult
  public func enqueue(
    _ requests: [Request], lane: String? = nil, priority: Priority? = nil, expires: Duration? = nil
  ) async throws -> [Receipt] {
    try await enqueue(requests.map { OutboxItem($0, lane: lane, priority: priority, expires: expires) })
  }

  /// Stores requests, in this order, all or none. `OutboxItem.ifKnown` is the rule for an item whose id the
  /// outbox knows already.
  ///
  /// Of a burst of calls, some hundred requests are stored at a time, those of a high priority first. One
  /// call is one transaction, during which nothing else is stored or claimed: about 30 ms for each thousand
  /// requests.
  /// - Throws: `OutboxError`; then nothing is stored.
  @discardableResult
  public func enqueue(_ items: [OutboxItem]) async throws -> [Receipt] {
    guard !items.isEmpty else { return [] }
    let ids = items.map { $0.id ?? newID() }
    if items.contains(where: { $0.ifKnown != .ignore }) {
      var seen: Set<OutboxID> = []
      if let twice = ids.first(where: { !seen.insert($0).inserted }) {
        throw OutboxError(
          .known, "two items of one call have the id \(twice); enqueue them one after the other")
      }
    }
    let logs = ids.map(hub.log)
    let known: Set<Int>
    do {
      var completed: [OutboxItem] = []
      for (item, id) in zip(items, ids) { completed.append(try await self.completed(item, id)) }
      let priority = completed.reduce(Priority.background) { max($0, $1.request.options.priority) }
      await gate?.enter(items.count, priority)
      defer { gate?.leave(items.count) }
      known = try await add(completed)
    } catch {
      for id in ids { hub.release(id) }
      throw error
    }
    dispatcher.look()
    return zip(ids, logs).enumerated().map { place, one in
      Receipt(one.0, one.1, self, isNew: !known.contains(place))
    }
  }

  // MARK: Names

  /// Returns a new id. Ids that are created in sequence are adjacent in the store's index, and often on the
  /// same page.
  func newID() -> OutboxID {
    var random = random
    return OutboxID(rawValue: UniqueName.ordered(at: configuration.date().milliseconds, using: &random))
  }

  /// Returns the item with its id and keys, and with the policy of its lane.
  func named(_ item: OutboxItem, _ id: OutboxID) -> OutboxItem {
    var random = random
    var item = item.named(id, key: UniqueName.random(using: &random))
    let policy = item.lane.flatMap { configuration.lanePolicy?($0) } ?? configuration.lanes
    item.holdsLane = policy == .block
    item.key = item.key ?? configuration.keyOf?(item)
    return item
  }

  /// Returns the item with the defaults of the outbox.
  private func completed(_ item: OutboxItem, _ id: OutboxID) async throws -> OutboxItem {
    var item = item
    // A stored request must not depend on how the client is configured at the next launch.
    item.request = dispatcher.client.completed(item.request)
    do {
      item.request.options.identityDigest = try await dispatcher.client.identityDigest(of: item.request)
    } catch {
      throw OutboxError(
        .failed,
        "the request cannot be stored for its user, because the credential cannot be read: \(error.credentialProblem)"
      )
    }
    // The delivery is not part of this trace, which may have ended by then. The delivery's span links to it.
    item.request.options.trace = item.request.options.trace ?? TraceContext.current
    item = named(item, id)
    if let priority = item.priority { item.request.options.priority = priority }
    item.expires = item.expires ?? configuration.lifetime
    return item
  }

  // MARK: Storing

  /// Stores items that have their ids, all or none, and publishes that.
  /// - Returns: The indices of the items that were stored before. Their rows stay unchanged.
  func add(_ items: [OutboxItem]) async throws -> Set<Int> {
    let copied = try await reserve(items)
    defer { if copied > 0 { copying.withLock { $0 -= copied } } }
    let (rows, dropped) = try await storage.store(items, used: store.used) { rows in
      (rows, try await store.add(rows, within: configuration.caps))
    }
    let now = configuration.date()
    let known = Set(dropped.known.filter(rows.indices.contains))
    hub.begin(
      rows.enumerated().filter { !known.contains($0.offset) }.map {
        OutboxEvent(id: $0.element.id, lane: $0.element.lane, step: .stored, date: now)
      })
    hub.publish(dropped.rows)
    // A store that repeats its statement may replace rows that its first run stored.
    let own = Set(rows.flatMap(\.files))
    await storage.blobs.remove(dropped.files.filter { !own.contains($0) })
    let followed = rows.indices.filter { known.contains($0) || rows[$0].ifKnown == .replace }
    if !followed.isEmpty { await hub.catchUp(on: hub.followed(followed.map { rows[$0].id })) }
    return known
  }

  /// Reserves the bytes that will be copied into files. Thus the cap refuses a request before the copy, and
  /// not only when the disk is full.
  /// - Returns: The number of bytes that will be copied.
  private func reserve(_ items: [OutboxItem]) async throws -> Int64 {
    guard let limit = configuration.caps.bytes else { return 0 }
    let copied = try await storage.bytesToCopy(items)
    guard copied > 0 else { return 0 }
    let all = copying.withLock { copying in
      copying += copied
      return copying
    }
    do {
      let used = configuration.caps.whenFull == .refuse ? try await store.statistics().bytes : 0
      guard used + all <= limit else {
        throw OutboxError(
          .full,
          "the outbox is full: it holds \(used) bytes, \(all) are being copied, and its cap is \(limit); wait until "
            + "some are delivered, drop dead letters, or raise its caps")
      }
      return copied
    } catch {
      copying.withLock { $0 -= copied }
      throw error
    }
  }
}
