public import ErrandCore
import ErrandReachability

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Delivers requests that must arrive. A request is on disk before its first byte is sent, and its content is
/// removed only in the transaction that records the accepting response: it arrives at least once, with an
/// idempotency key that stays the same through every attempt and every launch.
///
/// ```swift
/// let outbox = try await Outbox(at: folder, client: client)
/// let receipt = try await outbox.enqueue(.post(messageURL, json: message), lane: "chat/42")
/// // it is stored now, whatever happens to this process
/// if case .delivered(let response) = try await receipt.outcome() { print(response.status) }
/// ```
///
/// Several processes may use one folder at the same time. Each of them delivers, and no two send the same
/// request at once. No credential is stored: the client's interceptors add them at each attempt.
///
/// Releasing the outbox ends delivering in this process at once; `close()` lets requests under way finish
/// first.
public final class Outbox: Sendable {
  let desk: Desk
  let dispatcher: Dispatcher
  private let watch: Task<Void, Never>?

  var hub: EventHub { desk.hub }

  /// Opens the outbox in a folder, and begins to deliver its requests.
  /// - Parameters:
  ///   - folder: A folder of the outbox's own, on a local disk that is not purged. Made if it is missing, for
  ///     this user only.
  ///   - client: Sends the requests, through its interceptors. They take none of its slots.
  /// - Throws: `OutboxError`.
  public convenience init(
    at folder: URL, client: Client, configuration: OutboxConfiguration = OutboxConfiguration()
  ) async throws {
    let store = try await SQLiteOutboxStore(folder: folder)
    try await self.init(store: store, folder: folder, client: client, configuration: configuration)
  }

  /// Opens an outbox on another store.
  /// - Parameter folder: Where the files of requests are kept, the same for all processes that share the
  ///   store.
  public init(
    store: any OutboxStore, folder: URL, client: Client,
    configuration: OutboxConfiguration = OutboxConfiguration()
  ) async throws {
    let desk = try await Desk(
      store: store, folder: folder, configuration: configuration, secrets: client.secrets)
    let dispatcher = Dispatcher(desk, client)
    self.desk = desk
    self.dispatcher = dispatcher
    store.onForeignChange { [weak desk, weak dispatcher] in
      dispatcher?.look()
      guard let desk else { return }
      Task { await desk.catchUp() }
    }
    desk.sweep()
    guard configuration.delivers else {
      watch = nil
      return
    }
    dispatcher.start()
    watch = configuration.reachability.map { reachability in
      Task { [weak dispatcher] in
        for await status in reachability.updates { dispatcher?.networkChanged(isOnline: status != .offline) }
      }
    }
  }

  deinit {
    watch?.cancel()
    dispatcher.cancelAll()
  }

  // MARK: Storing

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
    let ids = items.map { $0.id ?? desk.newID() }
    let logs = ids.map(hub.log)
    let known: Set<Int>
    do {
      known = try await desk.add(items, ids: ids)
    } catch {
      for id in ids { hub.release(id) }
      throw error
    }
    dispatcher.look()
    return zip(ids, logs).enumerated().map { place, one in
      Receipt(one.0, one.1, self, isNew: !known.contains(place))
    }
  }

  // MARK: Looking

  /// Returns what is known of a request, of this launch or an earlier one; nil if nothing is, or if it was
  /// forgotten.
  public func status(of id: OutboxID) async throws -> OutboxEntry? {
    try await desk.store.rows([id])[0].map(desk.entry)
  }

  /// Returns a receipt for a request of which only the id is left, as after a restart. Its events begin with
  /// the present state.
  /// - Returns: Nil if nothing is known of the request.
  public func receipt(for id: OutboxID) async throws -> Receipt? {
    let receipt = Receipt(id, hub.log(id), self, isNew: false)
    let followed = hub.followed([id])
    guard let row = try await desk.store.rows([id])[0] else { return nil }
    hub.publish([row], to: followed, desk.event)
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
    try await desk.store.list(selection, after: sequence, limit: limit).map(desk.entry)
  }

  public func statistics() async throws -> OutboxStatistics { try await desk.store.statistics() }

  // MARK: By hand

  /// Looks at once for requests to deliver. With `delivers` off, this begins delivering.
  public func deliver() { dispatcher.start() }

  /// Retries requests at once that are stored, dead letters or expired, even if their origins are held. Dead
  /// letters and expired requests take their old places.
  /// - Returns: The requests that are retried.
  @discardableResult
  public func retry(_ selection: OutboxSelection) async throws -> [OutboxEntry] {
    let rows = try await desk.store.retry(selection, at: desk.configuration.time())
    desk.tell(rows)
    dispatcher.release(Array(Set(rows.map(\.origin))))
    return rows.map(desk.entry)
  }

  /// Drops requests that are stored, dead letters or expired. Requests that are being attempted stay.
  /// - Returns: The dropped requests.
  @discardableResult
  public func drop(
    _ selection: OutboxSelection, reason: String = "dropped by hand"
  ) async throws -> [OutboxEntry] {
    let dropped = try await desk.store.drop(selection, reason: reason, at: desk.configuration.time())
    desk.tell(dropped.rows)
    await desk.remove(dropped.files)
    dispatcher.look()
    return dropped.rows.map(desk.entry)
  }

  /// Begins no more attempts, in any process, until `resume`. Attempts under way go on.
  /// - Parameter lane: One lane; nil for everything.
  public func pause(lane: String? = nil) async throws {
    try await desk.store.setPaused(true, lane: lane)
  }

  /// Resumes what was paused.
  /// - Parameter lane: One lane; nil for everything, and for origins that are held.
  public func resume(lane: String? = nil) async throws {
    try await desk.store.setPaused(false, lane: lane)
    guard lane == nil else { return dispatcher.look() }
    try await resume(origin: nil)
  }

  /// Returns the origins to which nothing is sent for a while, and why.
  public func heldOrigins() async throws -> [HeldOrigin] {
    try await desk.store.statistics().heldOrigins.map(desk.heldOrigin)
  }

  /// Resumes sending to an origin that is held, in every process: one request first, and the others if that
  /// one gets through.
  /// - Parameter origin: The origin as `heldOrigins` returns it, or any URL of it; nil for all.
  public func resume(origin: String?) async throws {
    var names: [String]?
    if let origin {
      guard let url = URL(string: origin), url.host() != nil else {
        throw OutboxError(.failed, "\(origin) is no origin; it looks like https://example.com")
      }
      names = [desk.storage.originName(of: url)]
    }
    try await desk.store.release(names)
    dispatcher.release(names)
  }

  // MARK: The end

  /// Ends delivering in this process: begins no more attempts, lets those under way finish within `limit`,
  /// gives the rest back to be attempted later, and closes the store.
  public func close(within limit: Duration = .seconds(10)) async {
    watch?.cancel()
    await dispatcher.stop(within: limit)
    await desk.finishSweep(within: limit)
    await desk.store.close()
    hub.end()
  }
}
