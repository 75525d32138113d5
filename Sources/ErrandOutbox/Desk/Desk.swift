import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Shared by the outbox and its dispatcher: the store, the serialization of requests and responses, and the
/// event hub.
final class Desk: Sendable {
  let store: any OutboxStore
  let configuration: OutboxConfiguration
  let hub = EventHub()
  let storage: RequestStorage
  /// The secrets that are not written to disk.
  let secrets: Secrets
  private let rule: RetryRule
  private let random: SharedRandom
  /// Responses that must not be stored, while the ends of their attempts are being recorded.
  let unkept = Locked<[OutboxID: OutboxResponse]>([:])
  /// The number of bytes that are being copied into the folder and have no rows yet.
  private let copying = Locked<Int64>(0)
  private let sweeping = Locked<Task<Void, Never>?>(nil)

  /// - Parameter secrets: The client's secrets.
  init(
    store: any OutboxStore, folder: URL, configuration: OutboxConfiguration, secrets: Secrets = Secrets()
  ) async throws {
    self.store = store
    self.configuration = configuration
    self.secrets = configuration.secrets.map(secrets.union) ?? secrets
    storage = RequestStorage(
      in: folder, key: configuration.key, secrets: self.secrets,
      acceptsPlaintext: configuration.acceptsPlaintext, work: configuration.fileWork)
    rule = RetryRule(
      policy: configuration.delivery, pollInterval: configuration.pollInterval,
      responseLimit: max(0, configuration.responseLimit),
      secrets: self.secrets)
    random = SharedRandom(configuration.random)
    try await storage.open {
      let states: Set<OutboxState> = [.stored, .attempting, .deadLettered, .expired]
      return try await store.list(OutboxSelection(states: states), after: 0, limit: 100)
    }
  }

  private var date: Date { Date(milliseconds: configuration.time().wall) }

  // MARK: Requests in

  /// Returns a new id. Ids that are made in sequence are adjacent in the store's index, and often on one
  /// page.
  func newID() -> OutboxID {
    var random = random
    return OutboxID(rawValue: UniqueName.ordered(at: configuration.time().wall, using: &random))
  }

  /// - Returns: The indices of the items that were there already.
  func add(_ items: [OutboxItem], ids: [OutboxID]) async throws -> Set<Int> {
    let drafts = zip(items, ids).map { item, id in
      var request = item.request
      if let priority = item.priority { request.options.priority = priority }
      var draft = draft(id, request, lane: item.lane)
      draft.lifetime = item.expires ?? request.options.deadline ?? configuration.lifetime
      return draft
    }
    return try await add(drafts)
  }

  func draft(_ id: OutboxID, _ request: Request, lane: String?) -> RowDraft {
    var random = random
    var draft = RowDraft(id: id, request: request, key: UniqueName.random(using: &random))
    draft.lane = lane
    draft.holdsLane = configuration.lanes == .block
    return draft
  }

  /// - Returns: The indices of the drafts that were there already. Their rows stay unchanged.
  @discardableResult
  func add(_ drafts: [RowDraft]) async throws -> Set<Int> {
    let copied = try await beginCopying(drafts)
    defer { if copied > 0 { copying.withLock { $0 -= copied } } }
    let dropped = try await storage.store(drafts, used: store.used) { rows in
      let now = configuration.time()
      var rows = rows
      for (index, draft) in drafts.enumerated() {
        if let expires = draft.expires { rows[index].lifetime = .milliseconds(max(0, expires - now.wall)) }
      }
      return try await store.add(rows, within: configuration.caps, at: now)
    }
    let now = date
    let known = Set(dropped.known)
    hub.begin(
      drafts.enumerated().filter { !known.contains($0.offset) }.map {
        OutboxEvent(id: $0.element.id, lane: $0.element.lane, step: .stored, date: now)
      })
    tell(dropped.rows)
    await remove(dropped.files)
    if !known.isEmpty { await look(at: hub.followed(known.sorted().map { drafts[$0].id })) }
    return known
  }

  /// Reserves the bytes that will be copied into files, so that the cap refuses a request before the copy and
  /// not when the disk is full.
  /// - Returns: The number of bytes that will be copied.
  private func beginCopying(_ drafts: [RowDraft]) async throws -> Int64 {
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

  // MARK: Requests out

  func request(of claimed: ClaimedRow) throws -> Request {
    try storage.request(from: claimed.content, of: claimed.row.id)
  }

  func conclusion(on attempt: DeliveryAttempt, counted: Int, isRefusedAlone: Bool) -> RetryRule.Conclusion {
    var random = random
    return rule.conclusion(
      on: attempt, counted: counted, isRefusedAlone: isRefusedAlone, date: date, random: &random)
  }

  // MARK: Origins

  /// Fills in the origins of rows that an earlier version stored without one, from their requests.
  /// - Returns: The leases of those rows.
  func learnOrigins(of rows: inout [ClaimedRow]) -> Set<Lease> {
    var learned: Set<Lease> = []
    for index in rows.indices where rows[index].row.origin.isEmpty {
      guard let url = try? request(of: rows[index]).url else { continue }
      rows[index].row.origin = storage.originName(of: url)
      learned.insert(rows[index].lease)
    }
    return learned
  }

  /// Returns a change of an origin in the form in which the store keeps it.
  func news(_ change: OriginChange, of origin: String, _ claimed: ClaimedRow) -> OriginNews {
    switch change {
    case .hold(let kind, let reason, let length):
      let label = (try? request(of: claimed).url).map(storage.originLabel) ?? Data()
      return OriginNews(origin: origin, change: .hold(kind, reason: reason, label: label, for: length))
    case .release: return OriginNews(origin: origin, change: .release)
    }
  }

  func heldOrigin(_ hold: OriginHold) -> HeldOrigin {
    HeldOrigin(
      origin: (try? storage.shownOrigin(of: hold)) ?? "?", kind: hold.kind, reason: hold.reason,
      until: Date(milliseconds: hold.until))
  }

  // MARK: What is written down

  /// Returns an outcome in the form in which the store keeps it.
  func outcome(_ outcome: RetryRule.Conclusion.Outcome, of id: OutboxID) -> FinishedAttempt.Outcome {
    switch outcome {
    case .delivered(let response): .delivered(response: wrapped(response ?? .unknown, of: id))
    case .failed(let reason, let next, let counts, let wasOffline):
      .failed(reason: reason, next: next, counts: counts, wasOffline: wasOffline)
    case .refused(let reason, let response):
      .refused(reason: reason, response: response.map { wrapped($0, of: id) })
    case .returned: .returned
    }
  }

  private func wrapped(_ response: OutboxResponse, of id: OutboxID) -> Data {
    storage.wrapped(response: response.encoded(), of: id)
  }

  // MARK: What is known

  /// Returns what is known of a row. Of a row that cannot be read any more, that is less.
  func entry(_ row: OutboxRow) -> OutboxEntry {
    let summary = try? storage.summary(of: row)
    let response = response(of: row)
    return OutboxEntry(
      id: row.id, sequence: row.sequence, lane: row.lane,
      priority: Priority(rawValue: UInt8(clamping: row.priority)) ?? .default, state: row.state,
      method: summary?.method ?? "?", url: summary?.url ?? "?",
      idempotencyKey: summary?.idempotencyKey ?? "?",
      created: Date(milliseconds: row.created), changed: Date(milliseconds: row.changed),
      attempts: row.attempts,
      nextAttempt: row.due.map(Date.init(milliseconds:)), expires: row.expires.map(Date.init(milliseconds:)),
      reason: reason(of: row, response), size: row.size, response: response)
  }

  /// Returns the reason with the server's own explanation. The row does not have the latter, because its
  /// reason is plain text.
  private func reason(of row: OutboxRow, _ response: OutboxResponse?) -> String? {
    guard row.state == .deadLettered, let reason = row.reason, let words = response.flatMap(storage.words)
    else {
      return row.reason
    }
    return "\(reason); it says: \(words)"
  }

  private func response(of row: OutboxRow) -> OutboxResponse? {
    guard let wrapped = row.response, let data = try? storage.response(wrapped, of: row.id) else {
      return nil
    }
    return OutboxResponse(decoding: data)
  }

  // MARK: Tidying up

  func remove(_ files: [String]) async { await storage.folder.remove(files) }

  /// Begins to remove files that ended processes left behind, in the background.
  func sweep() {
    let task = Task {
      await noting {
        do {
          try await storage.folder.sweep { try await store.used($0) }
        } catch is CancellationError {}
      }
    }
    sweeping.withLock { $0 = task }
  }

  /// Waits for the sweep to end, at most for `limit`.
  func finishSweep(within limit: Duration) async {
    guard let task = sweeping.withLock({ $0 }) else { return }
    let timeline = Timeline(configuration.clock)
    let force = Task {
      try await timeline.sleep(limit)
      task.cancel()
    }
    await task.value
    force.cancel()
  }

  /// Forgets requests that were over longer ago than `retention`.
  func prune() async {
    await noting {
      let limit = configuration.time().wall - Int64(configuration.retention.wholeMilliseconds)
      await remove(try await store.prune(changedBefore: limit))
    }
  }
}
