public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request to enqueue, and how the outbox delivers it.
public struct OutboxItem: Sendable {
  public var request: Request
  /// The lane: its requests are sent one at a time, in the order in which they were enqueued. Nil for a
  /// request that waits for no other.
  public var lane: String?
  /// The priority. Nil for the request's own.
  public var priority: Priority?
  /// How long from now it may be delivered. Nil for the request's deadline, or else
  /// `OutboxConfiguration.lifetime`.
  public var expires: Duration?
  /// The id. Nil for a new one. Enqueuing an item whose id is in the outbox already changes nothing.
  public var id: OutboxID?

  public init(
    _ request: Request, lane: String? = nil, priority: Priority? = nil, expires: Duration? = nil,
    id: OutboxID? = nil
  ) {
    self.request = request
    self.lane = lane
    self.priority = priority
    self.expires = expires
    self.id = id
  }
}

extension Outbox {
  /// Stores a request. It is durable when this returns.
  /// - Parameters:
  ///   - lane: Requests of one lane are sent one at a time, in the order in which they were enqueued. A
  ///     request without a lane waits for no other.
  ///   - priority: The priority compared with other lanes. Default: the request's own.
  ///   - expires: How long from now it may be delivered. Default: the request's deadline, or else
  ///     `OutboxConfiguration.lifetime`.
  /// - Throws: `OutboxError`; nothing is stored then.
  @discardableResult
  public func enqueue(
    _ request: Request, lane: String? = nil, priority: Priority? = nil, expires: Duration? = nil
  ) async throws -> Receipt {
    try await enqueue([OutboxItem(request, lane: lane, priority: priority, expires: expires)])[0]
  }

  /// Stores requests of one lane, in this order, all or none.
  @discardableResult
  public func enqueue(
    _ requests: [Request], lane: String? = nil, priority: Priority? = nil, expires: Duration? = nil
  ) async throws -> [Receipt] {
    try await enqueue(requests.map { OutboxItem($0, lane: lane, priority: priority, expires: expires) })
  }

  /// Stores requests, in this order, all or none. An item whose id is in the outbox already is left as it is;
  /// its receipt says so (`Receipt.isNew`).
  @discardableResult
  public func enqueue(_ items: [OutboxItem]) async throws -> [Receipt] {
    guard !items.isEmpty else { return [] }
    let ids = items.map { $0.id ?? newID() }
    let logs = ids.map(hub.log)
    let known: Set<Int>
    do {
      known = try await add(zip(items, ids).map(draft))
    } catch {
      for id in ids { hub.release(id) }
      throw error
    }
    dispatcher.look()
    return zip(ids, logs).enumerated().map { place, one in
      Receipt(one.0, one.1, self, isNew: !known.contains(place))
    }
  }

  // MARK: Drafts

  /// Returns a new id. Ids that are made in sequence are adjacent in the store's index, and often on one
  /// page.
  func newID() -> OutboxID {
    var random = random
    return OutboxID(rawValue: UniqueName.ordered(at: configuration.time().wall, using: &random))
  }

  private func draft(_ item: OutboxItem, _ id: OutboxID) -> RowDraft {
    var request = item.request
    if let priority = item.priority { request.options.priority = priority }
    var draft = draft(id, request, lane: item.lane)
    draft.lifetime = item.expires ?? request.options.deadline ?? configuration.lifetime
    return draft
  }

  func draft(_ id: OutboxID, _ request: Request, lane: String?) -> RowDraft {
    var random = random
    var draft = RowDraft(id: id, request: request, key: UniqueName.random(using: &random))
    draft.lane = lane
    draft.holdsLane = configuration.lanes == .block
    return draft
  }

  // MARK: Storing

  /// Stores drafts, all or none, and publishes that.
  /// - Returns: The indices of the drafts that were there already. Their rows stay unchanged.
  func add(_ drafts: [RowDraft]) async throws -> Set<Int> {
    let copied = try await reserve(drafts)
    defer { if copied > 0 { copying.withLock { $0 -= copied } } }
    let dropped = try await storage.store(drafts, used: store.used) { rows in
      let now = configuration.time()
      var rows = rows
      for (index, draft) in drafts.enumerated() {
        if let expires = draft.expires { rows[index].lifetime = .milliseconds(max(0, expires - now.wall)) }
      }
      return try await store.add(rows, within: configuration.caps, at: now)
    }
    let now = Date(milliseconds: configuration.time().wall)
    let known = Set(dropped.known)
    hub.begin(
      drafts.enumerated().filter { !known.contains($0.offset) }.map {
        OutboxEvent(id: $0.element.id, lane: $0.element.lane, step: .stored, date: now)
      })
    hub.publish(dropped.rows)
    await storage.folder.remove(dropped.files)
    if !known.isEmpty { await hub.catchUp(on: hub.followed(known.sorted().map { drafts[$0].id })) }
    return known
  }

  /// Reserves the bytes that will be copied into files, so that the cap refuses a request before the copy and
  /// not when the disk is full.
  /// - Returns: The number of bytes that will be copied.
  private func reserve(_ drafts: [RowDraft]) async throws -> Int64 {
    guard let limit = configuration.caps.bytes else { return 0 }
    let copied = try await storage.bytesToCopy(drafts)
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
          "the outbox is full: it holds \(used) bytes, \(all) are being copied, and at most \(limit) fit in; wait until "
            + "some are delivered, drop dead letters, or raise its caps")
      }
      return copied
    } catch {
      copying.withLock { $0 -= copied }
      throw error
    }
  }
}
