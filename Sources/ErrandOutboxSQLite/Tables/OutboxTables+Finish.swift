import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxTables {
  /// A row whose attempt has ended.
  private struct Attempted {
    let sequence: Int64
    let state: OutboxState
    /// The lease number of the row's current or last claim.
    let lease: Int64
    let hasFiles: Bool
    /// True if the content is stored outside the row.
    let isContentApart: Bool
  }

  private static let tried = "seq, state, lease, files > 0, checksum IS NOT NULL AND content IS NULL"
  private static let find = Query("SELECT \(tried) FROM requests WHERE seq = ? AND id = ?")
  private static let deliver = Query("\(makeDelivered) WHERE seq = ?1")
  private static let deliverLeased = Query(
    "\(makeDelivered) WHERE seq = ?1 AND state = 1 AND lease & \(leaseMask) = ?2 & \(leaseMask)")
  private static let makeDelivered = """
    UPDATE requests SET state = 2, ended = 2, ended_at = ?3, head = NULL, owner = NULL, lease_end = NULL,
      due = 0, offline = 0, changed = ?3, reason = NULL, checksum = NULL, content = NULL, response = ?4
    """
  private static let fail = Query(
    """
    UPDATE requests SET state = 0, owner = NULL, lease_end = NULL, due = ?3, due_wall = ?4, delay = ?5,
      offline = ?6, counted = counted - ?7, changed = ?2, reason = ?8
    WHERE seq = ?1
    """)
  private static let deadLettered = Query(
    """
    UPDATE requests SET state = 3, head = iif(holds, head, NULL), owner = NULL, lease_end = NULL,
      changed = ?2, reason = ?3, response = ?4
    WHERE seq = ?1
    """)
  private static let giveBack = Query(
    """
    UPDATE requests SET state = 0, owner = NULL, lease_end = NULL, attempts = attempts - 1, counted = counted - 1,
      changed = ifnull(?2, changed)
    WHERE seq = ?1
    """)
  private static let setOrigin = Query(
    "UPDATE requests SET origin = ?3 WHERE seq = ?1 AND id = ?2 AND origin = ''")
  private static let leaseEnd = Query(
    "SELECT lease, lease_end FROM requests WHERE seq = ? AND id = ? AND state = 1 AND owner = ?")
  private static let renew = Query("UPDATE requests SET lease_end = ?2 WHERE seq = ?1")
  private static let claimed = Query("SELECT seq FROM requests WHERE state = 1 AND owner = ?")

  func finish(_ attempts: [FinishedAttempt], at now: StoreTime) throws -> [Finished] {
    try adopt(now)
    return try attempts.map { finished in
      if let origin = finished.origin { try learn(origin, of: finished.lease) }
      if let news = finished.news { try apply(news, at: now) }
      return try finish(finished, at: now)
    }
  }

  /// Sets the origin of a row that has none, because it was written by a version that did not store origins.
  private func learn(_ origin: String, of lease: Lease) throws {
    try database.run(
      Self.setOrigin,
      [.integer(Self.sequence(ofLease: lease.number)), .id(lease.id), .text(origin)])
  }

  private func finish(_ finished: FinishedAttempt, at now: StoreTime) throws -> Finished {
    let result = try record(finished, at: now)
    if finished.hasUpload, result.row?.state == .delivered {
      try removeUpload(Self.sequence(ofLease: finished.lease.number))
    }
    return result
  }

  private func record(_ finished: FinishedAttempt, at now: StoreTime) throws -> Finished {
    if let claimed = claimed.removeValue(forKey: finished.lease.number),
      case .delivered(let response) = finished.outcome,
      try markDelivered(claimed.row.sequence, response, under: finished.lease.number, at: now)
    {
      return try delivered(claimed, response, from: .attempting, at: now)
    }
    guard let tried = try find(finished.lease), counts(finished, tried) else { return Finished(row: nil) }
    let key: [SQLValue] = [.integer(tried.sequence), .integer(now.wall)]
    let row: OutboxRow
    switch finished.outcome {
    case .delivered(let response):
      let known = Claimed(
        row: try self.row(at: key[0]), hasFiles: tried.hasFiles, isContentApart: tried.isContentApart)
      try markDelivered(tried.sequence, response, under: nil, at: now)
      return try delivered(known, response, from: tried.state, at: now)
    case .failed(let reason, let next, let counts, let wasOffline):
      let delay = next.storedMilliseconds
      row = try change(
        Self.fail,
        key + [
          .integer(delay > 0 ? now.ticks + delay : 0), .integer(delay > 0 ? now.wall + delay : 0),
          .integer(delay), .bool(wasOffline && delay > 0), .bool(!counts), .text(reason),
        ], from: .attempting)
    case .rejected(let reason, let response):
      row = try change(
        Self.deadLettered,
        key + [.text(reason), try placed(response, of: tried.sequence).map { .bytes($0) } ?? .null],
        from: .attempting)
    case .returned: row = try change(Self.giveBack, key, from: .attempting)
    }
    try settle(row.lane)
    hasNews = true
    return Finished(row: row)
  }

  /// Returns true if the outcome of an attempt still applies to its row. A delivery counts even without a
  /// lease, because the server has accepted the request.
  private func counts(_ finished: FinishedAttempt, _ tried: Attempted) -> Bool {
    guard case .delivered = finished.outcome else { return isLeased(tried, finished.lease) }
    return tried.state.isOpen || tried.state == .deadLettered
  }

  /// Marks a row as delivered and stores the response.
  /// - Parameter lease: The number of the lease that the row must still have; nil to skip this check.
  /// - Returns: False if the row no longer has this lease.
  @discardableResult
  private func markDelivered(
    _ sequence: Int64, _ response: Data, under lease: Int64?, at now: StoreTime
  ) throws -> Bool {
    try database.run(
      lease == nil ? Self.deliver : Self.deliverLeased,
      [.integer(sequence), .optional(lease), .integer(now.wall)],
      bytes: Self.isShort(response) ? response : nil)
    guard database.changes > 0 else { return false }
    if !Self.isShort(response) { try store(response: response, of: sequence) }
    return true
  }

  /// Removes the content and files of a row that was just delivered.
  private func delivered(
    _ before: Claimed, _ response: Data, from state: OutboxState, at now: StoreTime
  ) throws -> Finished {
    var row = before.row
    if before.isContentApart { try removeContent(row.sequence) }
    let files = before.hasFiles ? try removeFiles(row.sequence) : []
    // Repeats the statement's changes, which is quicker than reading the row again.
    row.state = .delivered
    row.changed = now.wall
    row.reading = reading()
    row.due = nil
    row.reason = nil
    row.response = response
    count(row, from: state, response: before.row.response?.count ?? 0)
    try settle(row.lane)
    hasNews = true
    return Finished(row: row, files: files)
  }

  /// Stores a long response outside the row.
  /// - Returns: The response if it is short enough for the row; otherwise nil.
  private func placed(_ response: Data?, of sequence: Int64) throws -> Data? {
    guard let response, !Self.isShort(response) else { return response }
    try store(response: response, of: sequence)
    return nil
  }

  /// Finds the row of a lease, by its sequence and its id: a later row may have the same id, but never the
  /// same sequence.
  private func find(_ lease: Lease) throws -> Attempted? {
    try database.first(
      Self.find, [.integer(Self.sequence(ofLease: lease.number)), .id(lease.id)], tried)
  }

  private func tried(_ statement: Statement) throws -> Attempted {
    let sequence = statement.integer(0)
    guard let state = OutboxState(rawValue: Int(statement.integer(1))) else {
      throw OutboxError.damaged(database.path, "request \(sequence) has no state")
    }
    return Attempted(
      sequence: sequence, state: state, lease: Self.leaseNumber(sequence, statement.integer(2)),
      hasFiles: statement.integer(3) != 0, isContentApart: statement.integer(4) != 0)
  }

  /// True if the row still has this lease.
  func isLeased(_ lease: Lease) throws -> Bool { try find(lease).map { isLeased($0, lease) } ?? false }

  private func isLeased(_ tried: Attempted, _ lease: Lease) -> Bool {
    tried.state == .attempting && tried.lease == lease.number
  }

  /// Returns the leases of this owner that have not ended.
  func held(_ leases: [Lease], at now: StoreTime) throws -> [Lease] {
    // Ticks of another boot are not comparable, and every lease of that boot has ended.
    guard now.boot == knownBoot else { return [] }
    return try leases.filter { lease in
      let sequence = Self.sequence(ofLease: lease.number)
      return try database.first(Self.leaseEnd, [.integer(sequence), .id(lease.id), .text(owner)]) { row in
        Self.leaseNumber(sequence, row.integer(0)) == lease.number && row.integer(1) > now.ticks
      } ?? false
    }
  }

  func renew(_ leases: [Lease], for lease: Duration, at now: StoreTime) throws -> [Lease] {
    try adopt(now)
    let end = now.ticks + lease.storedMilliseconds
    return try leases.filter { lease in
      guard let tried = try find(lease), isLeased(tried, lease) else {
        claimed[lease.number] = nil
        return true
      }
      try database.run(Self.renew, [.integer(tried.sequence), .integer(end)])
      return false
    }
  }

  /// Gives back all rows that this owner has claimed, as if they had not been claimed.
  func giveBackAll() throws {
    for sequence in try database.all(Self.claimed, [.text(owner)], { $0.integer(0) }) {
      try settle(change(Self.giveBack, [.integer(sequence), .null], from: .attempting).lane)
      hasNews = true
    }
  }
}
