import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the outbox and its courier share: the store, what requests and answers look like in it, and who is told.
final class Desk: Sendable {
  let store: any OutboxStore
  let configuration: OutboxConfiguration
  let feedback = Feedback()
  let storage: RequestStorage
  /// What is not written to disk.
  let secrets: Secrets
  private let rule: DeliveryRule
  private let random: SharedRandom
  /// Responses that must not be kept, while their ends are being recorded.
  let unkept = Locked<[OutboxID: OutboxAnswer]>([:])
  /// The bytes that are being copied into the folder, and have no rows yet.
  private let copying = Locked<Int64>(0)
  private let sweeping = Locked<Task<Void, Never>?>(nil)

  /// - Parameter secrets: The client's.
  init(
    store: any OutboxStore, folder: URL, configuration: OutboxConfiguration, secrets: Secrets = Secrets()
  ) async throws {
    self.store = store
    self.configuration = configuration
    self.secrets = configuration.secrets.map(secrets.union) ?? secrets
    storage = RequestStorage(
      in: folder, key: configuration.key, secrets: self.secrets,
      acceptsPlaintext: configuration.acceptsPlaintext, work: configuration.fileWork)
    rule = DeliveryRule(
      policy: configuration.delivery, beat: configuration.beat,
      answerLimit: max(0, configuration.answerLimit),
      secrets: self.secrets)
    random = SharedRandom(configuration.random)
    try await storage.open {
      let states: Set<OutboxState> = [.stored, .trying, .setAside, .expired]
      return try await store.list(OutboxSelection(states: states), after: 0, limit: 100)
    }
  }

  private var date: Date { Date(milliseconds: configuration.time().wall) }

  // MARK: Requests in

  /// Those that are made one after the other are beside each other in the store's index, and often on one page.
  func newID() -> OutboxID {
    var random = random
    return OutboxID(rawValue: UniqueName.ordered(at: configuration.time().wall, using: &random))
  }

  /// - Returns: The places of those that were there already.
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
    draft.holdsLane = configuration.lanes == .hold
    return draft
  }

  /// - Returns: The places of those that were there already, which changes nothing about them.
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
    feedback.begin(
      drafts.enumerated().filter { !known.contains($0.offset) }.map {
        OutboxEvent(id: $0.element.id, lane: $0.element.lane, step: .stored, date: now)
      })
    tell(dropped.rows)
    await remove(dropped.files)
    if !known.isEmpty { await look(at: feedback.followed(known.sorted().map { drafts[$0].id })) }
    return known
  }

  /// What is copied takes room before its row does, so it is refused before, and not when the disk is full of it.
  /// - Returns: How many bytes will be copied.
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
            + "some are delivered, drop what is set aside, or raise its caps")
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

  func ruling(on aTry: DeliveryTry, counted: Int, isRefusedAlone: Bool) -> DeliveryRule.Ruling {
    var random = random
    return rule.ruling(
      on: aTry, counted: counted, isRefusedAlone: isRefusedAlone, date: date, random: &random)
  }

  // MARK: Origins

  /// Rows of an earlier version name no origin: they are looked at.
  /// - Returns: Those that did not.
  func learnOrigins(of rows: inout [ClaimedRow]) -> Set<Lease> {
    var learned: Set<Lease> = []
    for index in rows.indices where rows[index].row.origin.isEmpty {
      guard let url = try? request(of: rows[index]).url else { continue }
      rows[index].row.origin = storage.originName(of: url)
      learned.insert(rows[index].lease)
    }
    return learned
  }

  /// What an attempt has told of its origin, as the store keeps it.
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

  /// A ruling as the store keeps it.
  func outcome(_ outcome: DeliveryRule.Ruling.Outcome, of id: OutboxID) -> FinishedTry.Outcome {
    switch outcome {
    case .delivered(let answer): .delivered(answer: wrapped(answer ?? .unknown, of: id))
    case .failed(let reason, let next, let counts, let wasOffline):
      .failed(reason: reason, next: next, counts: counts, wasOffline: wasOffline)
    case .refused(let reason, let answer):
      .refused(reason: reason, answer: answer.map { wrapped($0, of: id) })
    case .returned: .returned
    }
  }

  private func wrapped(_ answer: OutboxAnswer, of id: OutboxID) -> Data {
    storage.wrapped(answer: answer.encoded(), of: id)
  }

  // MARK: What is known

  /// A row that cannot be read any more is shown as far as it can.
  func entry(_ row: OutboxRow) -> OutboxEntry {
    let summary = try? storage.summary(of: row)
    let answer = answer(of: row)
    return OutboxEntry(
      id: row.id, sequence: row.sequence, lane: row.lane,
      priority: Priority(rawValue: UInt8(clamping: row.priority)) ?? .default, state: row.state,
      method: summary?.method ?? "?", url: summary?.url ?? "?",
      idempotencyKey: summary?.idempotencyKey ?? "?",
      created: Date(milliseconds: row.created), changed: Date(milliseconds: row.changed), tries: row.tries,
      nextTry: row.due.map(Date.init(milliseconds:)), expires: row.expires.map(Date.init(milliseconds:)),
      reason: reason(of: row, answer), size: row.size, answer: answer)
  }

  /// With what the server says about it. That is not in the row, where it would be kept in plain text.
  private func reason(of row: OutboxRow, _ answer: OutboxAnswer?) -> String? {
    guard row.state == .setAside, let reason = row.reason, let words = answer.flatMap(storage.words) else {
      return row.reason
    }
    return "\(reason); it says: \(words)"
  }

  private func answer(of row: OutboxRow) -> OutboxAnswer? {
    guard let wrapped = row.answer, let data = try? storage.answer(wrapped, of: row.id) else { return nil }
    return OutboxAnswer(decoding: data)
  }

  // MARK: Tidying up

  func remove(_ files: [String]) async { await storage.folder.remove(files) }

  /// Begins to remove what processes left behind; nobody waits for that.
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

  /// Waits until that is done, but not longer than `limit`.
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

  /// Forgets what was over long ago.
  func prune() async {
    await noting {
      let limit = configuration.time().wall - Int64(configuration.keepsAnswers.wholeMilliseconds)
      await remove(try await store.prune(changedBefore: limit))
    }
  }
}
