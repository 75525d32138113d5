#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxTables {
  /// A row whose try has ended.
  private struct Tried {
    let sequence: Int64
    let state: OutboxState
    /// Which claim it is under, or was last.
    let lease: Int64
    let hasFiles: Bool
    /// Its content is not in the row.
    let isContentApart: Bool
  }

  private static let tried = "seq, state, lease, files > 0, checksum IS NOT NULL AND content IS NULL"
  private static let find = Query("SELECT \(tried) FROM requests WHERE seq = ? AND id = ?")
  private static let deliver = Query("\(makeDelivered) WHERE seq = ?1")
  private static let deliverLeased = Query(
    "\(makeDelivered) WHERE seq = ?1 AND state = 1 AND lease & \(leaseMask) = ?2 & \(leaseMask)")
  private static let makeDelivered = """
    UPDATE requests SET state = 2, ended = 2, ended_at = ?3, head = NULL, owner = NULL, lease_end = NULL,
      due = 0, offline = 0, changed = ?3, reason = NULL, checksum = NULL, content = NULL, answer = ?4
    """
  private static let fail = Query(
    """
    UPDATE requests SET state = 0, owner = NULL, lease_end = NULL, due = ?3, due_wall = ?4, delay = ?5,
      offline = ?6, counted = counted - ?7, changed = ?2, reason = ?8
    WHERE seq = ?1
    """)
  private static let setAside = Query(
    """
    UPDATE requests SET state = 3, head = iif(holds, head, NULL), owner = NULL, lease_end = NULL,
      changed = ?2, reason = ?3, answer = ?4
    WHERE seq = ?1
    """)
  private static let giveBack = Query(
    """
    UPDATE requests SET state = 0, owner = NULL, lease_end = NULL, tries = tries - 1, counted = counted - 1,
      changed = ifnull(?2, changed)
    WHERE seq = ?1
    """)
  private static let setOrigin = Query(
    "UPDATE requests SET origin = ?3 WHERE seq = ?1 AND id = ?2 AND origin = ''")
  private static let renew = Query("UPDATE requests SET lease_end = ?2 WHERE seq = ?1")
  private static let claimed = Query("SELECT seq FROM requests WHERE state = 1 AND owner = ?")

  func finish(_ tries: [FinishedTry], at now: StoreTime) throws -> [Finished] {
    try adopt(now)
    return try tries.map { finished in
      if let origin = finished.origin { try learn(origin, of: finished.lease) }
      if let news = finished.news { try apply(news, at: now) }
      return try finish(finished, at: now)
    }
  }

  /// A row of a version that did not write its origin down.
  private func learn(_ origin: String, of lease: Lease) throws {
    try database.run(
      Self.setOrigin,
      [.integer(Self.sequence(ofLease: lease.number)), .id(lease.id), .text(origin)])
  }

  private func finish(_ finished: FinishedTry, at now: StoreTime) throws -> Finished {
    if let claimed = claimed.removeValue(forKey: finished.lease.number),
      case .delivered(let answer) = finished.outcome,
      try markDelivered(claimed.row.sequence, answer, under: finished.lease.number, at: now)
    {
      return try delivered(claimed, answer, from: .trying, at: now)
    }
    guard let tried = try find(finished.lease), counts(finished, tried) else { return Finished(row: nil) }
    let key: [SQLValue] = [.integer(tried.sequence), .integer(now.wall)]
    let row: OutboxRow
    switch finished.outcome {
    case .delivered(let answer):
      let known = Claimed(
        row: try self.row(at: key[0]), hasFiles: tried.hasFiles, isContentApart: tried.isContentApart)
      try markDelivered(tried.sequence, answer, under: nil, at: now)
      return try delivered(known, answer, from: tried.state, at: now)
    case .failed(let reason, let next, let counts, let wasOffline):
      let delay = next.storedMilliseconds
      row = try change(
        Self.fail,
        key + [
          .integer(delay > 0 ? now.ticks + delay : 0), .integer(delay > 0 ? now.wall + delay : 0),
          .integer(delay), .bool(wasOffline && delay > 0), .bool(!counts), .text(reason),
        ], from: .trying)
    case .refused(let reason, let answer):
      row = try change(
        Self.setAside,
        key + [.text(reason), try placed(answer, of: tried.sequence).map { .bytes($0) } ?? .null],
        from: .trying)
    case .returned: row = try change(Self.giveBack, key, from: .trying)
    }
    try settle(row.lane)
    hasNews = true
    return Finished(row: row)
  }

  /// What a server has accepted counts without a lease, too.
  private func counts(_ finished: FinishedTry, _ tried: Tried) -> Bool {
    guard case .delivered = finished.outcome else { return isLeased(tried, finished.lease) }
    return tried.state.isOpen || tried.state == .setAside
  }

  /// - Parameter lease: The one that the row must be under still; nil for any, or none.
  /// - Returns: False if it is not.
  @discardableResult
  private func markDelivered(
    _ sequence: Int64, _ answer: Data, under lease: Int64?, at now: StoreTime
  ) throws -> Bool {
    try database.run(
      lease == nil ? Self.deliver : Self.deliverLeased,
      [.integer(sequence), .optional(lease), .integer(now.wall)], bytes: Self.isShort(answer) ? answer : nil)
    guard database.changes > 0 else { return false }
    if !Self.isShort(answer) { try store(answer: answer, of: sequence) }
    return true
  }

  /// Removes what a row had that has just been delivered.
  private func delivered(
    _ before: Claimed, _ answer: Data, from state: OutboxState, at now: StoreTime
  ) throws -> Finished {
    var row = before.row
    if before.isContentApart { try removeContent(row.sequence) }
    let files = before.hasFiles ? try removeFiles(row.sequence) : []
    // As the statement has changed it, which is quicker than to read it again.
    row.state = .delivered
    row.changed = now.wall
    row.reading = reading()
    row.due = nil
    row.reason = nil
    row.answer = answer
    count(row, from: state, answer: before.row.answer?.count ?? 0)
    try settle(row.lane)
    hasNews = true
    return Finished(row: row, files: files)
  }

  /// - Returns: What goes into the row; a long answer is put where those are.
  private func placed(_ answer: Data?, of sequence: Int64) throws -> Data? {
    guard let answer, !Self.isShort(answer) else { return answer }
    try store(answer: answer, of: sequence)
    return nil
  }

  /// The row that was claimed, and no other: its id may be that of a later one by now, but its sequence never is.
  private func find(_ lease: Lease) throws -> Tried? {
    try database.first(
      Self.find, [.integer(Self.sequence(ofLease: lease.number)), .id(lease.id)], tried)
  }

  private func tried(_ statement: Statement) throws -> Tried {
    let sequence = statement.integer(0)
    guard let state = OutboxState(rawValue: Int(statement.integer(1))) else {
      throw OutboxError.damaged(database.path, "request \(sequence) has no state")
    }
    return Tried(
      sequence: sequence, state: state, lease: Self.leaseNumber(sequence, statement.integer(2)),
      hasFiles: statement.integer(3) != 0, isContentApart: statement.integer(4) != 0)
  }

  private func isLeased(_ tried: Tried, _ lease: Lease) -> Bool {
    tried.state == .trying && tried.lease == lease.number
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

  /// Gives back all that this owner has claimed.
  func giveBackAll() throws {
    for sequence in try database.all(Self.claimed, [.text(owner)], { $0.integer(0) }) {
      try settle(change(Self.giveBack, [.integer(sequence), .null], from: .trying).lane)
      hasNews = true
    }
  }
}
