public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Requests that must arrive. What is handed to it is on disk before its first byte is sent, and leaves only in the
/// transaction that records its accepted answer: it arrives at least once, with an idempotency key that stays the same
/// through every try and every launch.
///
/// ```swift
/// let outbox = try await Outbox(at: folder, client: client)
/// let receipt = try await outbox.enqueue(.post(messageURL, json: message), lane: "chat/42")
/// // it is stored now, whatever happens to this process
/// if case .delivered(let answer) = try await receipt.outcome() { print(answer.status) }
/// ```
///
/// Several processes may use one folder at the same time; each delivers, and never two the same request at once. No
/// credential is stored: those come from the client's interceptors at each try.
///
/// Letting go of it ends delivering in this process; `close()` does so in good order.
public final class Outbox: Sendable {
  let desk: Desk
  let courier: Courier
  private let watch: Task<Void, Never>?

  var feedback: Feedback { desk.feedback }

  /// Opens the outbox in a folder, and begins to deliver what is in it.
  /// - Parameters:
  ///   - folder: A folder of the outbox's own, on a local disk that is not purged. Made if it is missing, for this user
  ///     only.
  ///   - client: Sends the requests, under its own limits and through its interceptors.
  /// - Throws: `OutboxError`.
  public convenience init(
    at folder: URL, client: Client, configuration: OutboxConfiguration = OutboxConfiguration()
  ) async throws {
    let store = try await SQLiteOutboxStore(folder: folder)
    try await self.init(store: store, folder: folder, client: client, configuration: configuration)
  }

  /// Opens an outbox on another store.
  /// - Parameter folder: Where the files of requests are kept, for all who share the store.
  public init(
    store: any OutboxStore, folder: URL, client: Client,
    configuration: OutboxConfiguration = OutboxConfiguration()
  ) async throws {
    let desk = try await Desk(
      store: store, folder: folder, configuration: configuration, secrets: client.secrets)
    let courier = Courier(desk, client)
    self.desk = desk
    self.courier = courier
    store.onForeignChange { [weak desk, weak courier] in
      courier?.look()
      guard let desk else { return }
      Task { await desk.catchUp() }
    }
    desk.sweep()
    guard configuration.delivers else {
      watch = nil
      return
    }
    courier.start()
    watch = configuration.reachability.map { reachability in
      Task { [weak courier] in
        for await status in reachability.updates { courier?.networkChanged(isOnline: status != .offline) }
      }
    }
  }

  deinit {
    watch?.cancel()
    courier.cancelAll()
  }

  // MARK: Storing

  /// Stores a request. When this returns, it is durable.
  /// - Parameters:
  ///   - lane: Requests of one lane go one at a time, in the order in which they were enqueued. Without one it waits for
  ///     none.
  ///   - priority: How soon it is wanted, compared with other lanes. Default: the request's own.
  ///   - expires: How long from now it may be delivered. Default: as the outbox is configured.
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

  /// Stores requests, in this order, all or none. One whose name is there already is left as it is, which its receipt says
  /// (`Receipt.isNew`).
  @discardableResult
  public func enqueue(_ items: [OutboxItem]) async throws -> [Receipt] {
    guard !items.isEmpty else { return [] }
    let ids = items.map { $0.id ?? desk.newID() }
    let tracks = ids.map(feedback.track)
    let known: Set<Int>
    do {
      known = try await desk.add(items, ids: ids)
    } catch {
      for id in ids { feedback.release(id) }
      throw error
    }
    courier.look()
    return zip(ids, tracks).enumerated().map { place, one in
      Receipt(one.0, one.1, self, isNew: !known.contains(place))
    }
  }

  // MARK: Looking

  /// What is known of a request, of this launch or an earlier one; nil if nothing is, or that has been forgotten.
  public func status(of id: OutboxID) async throws -> OutboxEntry? {
    try await desk.store.rows([id])[0].map(desk.entry)
  }

  /// Follows a request of which only the name is left, as after a restart. Its events begin with what is the case now.
  /// - Returns: Nil if nothing is known of it.
  public func receipt(for id: OutboxID) async throws -> Receipt? {
    let receipt = Receipt(id, feedback.track(id), self, isNew: false)
    let followed = feedback.followed([id])
    guard let row = try await desk.store.rows([id])[0] else { return nil }
    feedback.publish([row], to: followed, desk.event)
    return receipt
  }

  /// Everything that this process does, from now on, and what it learns of others' doings. Who does not keep up misses the
  /// oldest beyond 10,000.
  public var events: AsyncStream<OutboxEvent> { feedback.events(limit: 10_000) }

  /// Once now, and then whenever something may have changed: what this process does at once, what others do as soon as it is
  /// heard of, which for the beginning of their tries may be late. Several changes may be one. Ends when the outbox is closed.
  public var changes: AsyncStream<Void> { feedback.changes() }

  /// A page of requests, in the order of enqueue.
  /// - Parameters:
  ///   - sequence: Those after this one; 0 for the first page, then the last one's `sequence`.
  ///   - limit: The most that are returned. Default: 100.
  public func list(
    _ selection: OutboxSelection = .all, after sequence: Int64 = 0, limit: Int = 100
  ) async throws -> [OutboxEntry] {
    try await desk.store.list(selection, after: sequence, limit: limit).map(desk.entry)
  }

  public func statistics() async throws -> OutboxStatistics { try await desk.store.statistics() }

  // MARK: By hand

  /// Looks at once for what may be delivered. With `delivers` off, this is what begins delivering.
  public func deliver() { courier.start() }

  /// Tries what is stored, set aside or has expired at once, even if its origin is held. What was set aside or has expired
  /// takes its old place.
  /// - Returns: What is tried again.
  @discardableResult
  public func retry(_ selection: OutboxSelection) async throws -> [OutboxEntry] {
    let rows = try await desk.store.retry(selection, at: desk.configuration.time())
    desk.tell(rows)
    courier.release(Array(Set(rows.map(\.origin))))
    return rows.map(desk.entry)
  }

  /// Drops what is stored, set aside or has expired. What is being tried stays.
  /// - Returns: What was dropped.
  @discardableResult
  public func drop(
    _ selection: OutboxSelection, reason: String = "dropped by hand"
  ) async throws -> [OutboxEntry] {
    let dropped = try await desk.store.drop(selection, reason: reason, at: desk.configuration.time())
    desk.tell(dropped.rows)
    await desk.remove(dropped.files)
    courier.look()
    return dropped.rows.map(desk.entry)
  }

  /// Begins no more tries, in any process, until `resume`. What is being tried goes on.
  /// - Parameter lane: One lane; nil for everything.
  public func pause(lane: String? = nil) async throws {
    try await desk.store.setPaused(true, lane: lane)
  }

  /// Goes on with what was paused.
  /// - Parameter lane: One lane; nil for everything, also for origins that are held.
  public func resume(lane: String? = nil) async throws {
    try await desk.store.setPaused(false, lane: lane)
    guard lane == nil else { return courier.look() }
    try await resume(origin: nil)
  }

  /// The origins to which nothing is sent for a while, and why.
  public func heldOrigins() async throws -> [HeldOrigin] {
    try await desk.store.statistics().heldOrigins.map(desk.heldOrigin)
  }

  /// Sends to an origin again that is held, in every process: one request first, and if that gets through the others.
  /// - Parameter origin: As `heldOrigins` says it, or any URL of it; nil for all.
  public func resume(origin: String?) async throws {
    var names: [String]?
    if let origin {
      guard let url = URL(string: origin), url.host() != nil else {
        throw OutboxError(.failed, "\(origin) is no origin; it looks like https://example.com")
      }
      names = [desk.storage.originName(of: url)]
    }
    try await desk.store.release(names)
    courier.release(names)
  }

  // MARK: The end

  /// Ends delivering in this process: begins no more, lets what is under way finish within `limit`, gives the rest back to
  /// be tried later, and closes the store.
  public func close(within limit: Duration = .seconds(10)) async {
    watch?.cancel()
    await courier.stop(within: limit)
    await desk.finishSweep(within: limit)
    await desk.store.close()
    feedback.end()
  }
}
