import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxTables {
  /// The most rows that one claim expires, and the most that it makes due, so that no claim takes long.
  private static let mostAtOnce = 500

  private static let overdue = Query(
    """
    SELECT seq FROM requests INDEXED BY expiring
    WHERE state = 0 AND expires IS NOT NULL AND expires <= ? ORDER BY expires
    LIMIT \(mostAtOnce)
    """)
  private static let expire = Query(
    """
    UPDATE requests SET state = 4, ended = 4, ended_at = ?2, head = NULL, due = 0, offline = 0, changed = ?2,
      reason = 'its time was over before it was delivered' || iif(reason IS NULL, '', '; before that: ' || reason)
    WHERE seq = ?1
    """)
  private static let promote = Query(
    """
    UPDATE requests SET due = 0, offline = 0 WHERE seq IN (
      SELECT seq FROM requests INDEXED BY waiting WHERE state = 0 AND head = 1 AND due > 0 AND due <= ?
      ORDER BY due
      LIMIT \(mostAtOnce))
    """)
  private static let take = Query(
    """
    UPDATE requests SET state = 1, owner = ?2, lease = lease + 1, lease_end = ?3, attempts = attempts + 1,
      counted = counted + 1, changed = ?4
    WHERE seq = ?1
    """)
  private static let deadLettered = Query(
    """
    UPDATE requests SET state = 3, head = iif(holds, head, NULL), changed = ?2, reason = ?3
    WHERE seq = ?1
    """)

  func claim(_ bounds: ClaimBounds, for lease: Duration, at now: StoreTime) throws -> Claim {
    try adopt(now)
    var claim = Claim()
    claim.recovered = try recover(bounds, at: now)
    claim.expired = try expire(at: now)
    try database.run(Self.promote, [.integer(now.ticks)])
    claim.held = try heldOrigins(at: now)
    var hasMore = false
    if try !isEverythingPaused() {
      let (ready, isMore) = try chooseAll(bounds, held: claim.held, at: now)
      hasMore = isMore
      for row in ready {
        // A row that could not be claimed leaves capacity for another one.
        if try !take(row, bounds, until: now.ticks + lease.storedMilliseconds, now, &claim) { hasMore = true }
      }
    }
    // Other processes may wait for the events of these rows.
    if !(claim.recovered + claim.expired + claim.deadLettered).isEmpty { hasNews = true }
    claim.next = hasMore ? .zero : try next(at: now)
    return claim
  }

  private func expire(at now: StoreTime) throws -> [OutboxRow] {
    try database.all(Self.overdue, [.integer(now.ticks)]) { $0.integer(0) }.map { try expire($0, at: now) }
  }

  private func expire(_ sequence: Int64, at now: StoreTime) throws -> OutboxRow {
    let row = try change(Self.expire, [.integer(sequence), .integer(now.wall)], from: .stored)
    try settle(row.lane)
    return row
  }

  /// Claims a row that was chosen, unless it is overdue, out of attempts or damaged.
  /// - Returns: False if the row expired or was moved to the dead letters instead.
  private func take(
    _ ready: ReadyRow, _ bounds: ClaimBounds, until end: Int64, _ now: StoreTime, _ claim: inout Claim
  ) throws -> Bool {
    // One claim expires at most `mostAtOnce` rows, so an overdue row may remain.
    if let left = ready.timeLeft, left <= 0 {
      claim.expired.append(try expire(ready.row.sequence, at: now))
      return false
    }
    if let most = bounds.maxAttempts, ready.row.countedAttempts >= most {
      let reason =
        "attempted \(ready.row.countedAttempts) times"
        + (ready.row.reason.map { "; \($0)" } ?? ", and its last attempt has no known end")
      claim.deadLettered.append(try deadLettered(ready.row.sequence, reason, at: now))
      return false
    }
    switch ready.content {
    case .whole(let content):
      claim.rows.append(try take(ready, content, until: end, now))
      return true
    case .damaged:
      claim.deadLettered.append(try deadLetterDamaged(ready, "has changed since it was stored", at: now))
    case .none: claim.deadLettered.append(try deadLetterDamaged(ready, "is missing", at: now))
    }
    return false
  }

  private func take(
    _ ready: ReadyRow, _ content: Data, until end: Int64, _ now: StoreTime
  ) throws -> ClaimedRow {
    var row = ready.row
    try database.run(
      Self.take, [.integer(row.sequence), .text(owner), .integer(end), .integer(now.wall)])
    // Repeats the statement's changes, which is quicker than reading the row again.
    row.state = .attempting
    row.due = nil
    row.attempts += 1
    row.countedAttempts += 1
    row.changed = now.wall
    count(row, from: .stored)
    let lease = Lease(id: row.id, number: Self.leaseNumber(row.sequence, ready.leases + 1))
    claimed[lease.number] = Claimed(
      row: row, hasFiles: ready.hasFiles, isContentApart: ready.isContentApart)
    var taken = ClaimedRow(
      row: row, content: content, lease: lease, timeLeft: ready.timeLeft.map { .milliseconds($0) })
    taken.wait = .milliseconds(ready.wait)
    return taken
  }

  /// Moves a row with damaged or missing content to the dead letters, so that it is never sent.
  private func deadLetterDamaged(_ ready: ReadyRow, _ complaint: String, at now: StoreTime) throws
    -> OutboxRow
  {
    let reason = "its content in \(database.path) \(complaint): the disk has damaged the file"
    return try deadLettered(ready.row.sequence, reason, at: now)
  }

  private func deadLettered(_ sequence: Int64, _ reason: String, at now: StoreTime) throws -> OutboxRow {
    let row = try change(
      Self.deadLettered, [.integer(sequence), .integer(now.wall), .text(reason)], from: .stored)
    try settle(row.lane)
    return row
  }

  /// Returns a number that no other claim has. Sequences are never reused, so this is true even if a row was
  /// deleted and a later row has its id.
  static func leaseNumber(_ sequence: Int64, _ count: Int64) -> Int64 { sequence << 24 | count & leaseMask }

  /// The bits of a lease's number that count the claims of its row.
  static let leaseMask: Int64 = 0xFF_FFFF

  static func sequence(ofLease number: Int64) -> Int64 { number >> 24 }

  // MARK: The next claim

  private static let nextDue = Query(
    "SELECT min(due) FROM requests INDEXED BY waiting WHERE state = 0 AND head = 1 AND due > 0")
  private static let nextExpiry = Query(
    "SELECT min(expires) FROM requests INDEXED BY expiring WHERE state = 0 AND expires IS NOT NULL")
  private static let nextLeaseEnd = Query(
    "SELECT min(lease_end) FROM requests INDEXED BY leased WHERE state = 1")

  private func next(at now: StoreTime) throws -> Duration? {
    var times = [try database.integer(Self.nextExpiry), try database.integer(Self.nextLeaseEnd)]
    if try !isEverythingPaused() {
      times.append(try database.integer(Self.nextDue))
      times.append(try nextHoldEnd())
    }
    return times.compactMap { $0 }.min().map { .milliseconds(max(0, $0 - now.ticks)) }
  }
}
