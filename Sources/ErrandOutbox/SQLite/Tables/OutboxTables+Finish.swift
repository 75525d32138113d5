#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxTables {
  /// A row whose try has ended.
  private struct Tried {
    let row: OutboxRow
    /// How often it was claimed.
    let leases: Int64
    let hasFiles: Bool
    /// Its content is not in the row.
    let isContentApart: Bool
  }

  private static let tried = "\(columns), lease, files > 0, checksum IS NOT NULL AND content IS NULL"
  private static let find = Query("SELECT \(tried) FROM requests WHERE id = ?")
  private static let findBySequence = Query("SELECT \(tried) FROM requests WHERE seq = ? AND id = ?")
  private static let deliver = Query(
    """
    UPDATE requests SET state = 2, head = NULL, owner = NULL, lease_end = NULL, due = 0, offline = 0,
      changed = ?2, reason = NULL, checksum = NULL, content = NULL, answer = ?3
    WHERE seq = ?1
    """)
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
  private static let renew = Query("UPDATE requests SET lease_end = ?2 WHERE seq = ?1")
  private static let claimed = Query("SELECT seq FROM requests WHERE state = 1 AND owner = ?")

  func finish(_ tries: [FinishedTry], at now: StoreTime) throws -> [Finished] {
    try adopt(now)
    return try tries.map { try finish($0, at: now) }
  }

  private func finish(_ finished: FinishedTry, at now: StoreTime) throws -> Finished {
    guard let tried = try find(finished.lease), counts(finished, tried) else { return Finished(row: nil) }
    let key: [SQLValue] = [.integer(tried.row.sequence), .integer(now.wall)]
    var files: [String] = []
    let row: OutboxRow
    switch finished.outcome {
    case .delivered(let answer): (row, files) = try deliver(tried, answer, at: now)
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
        key + [.text(reason), try placed(answer, of: tried.row.sequence).map { .bytes($0) } ?? .null],
        from: .trying)
    case .returned: row = try change(Self.giveBack, key, from: .trying)
    }
    try settle(row.lane)
    hasNews = true
    return Finished(row: row, files: files)
  }

  /// What a server has accepted counts without a lease, too.
  private func counts(_ finished: FinishedTry, _ tried: Tried) -> Bool {
    guard case .delivered = finished.outcome else { return isLeased(tried, finished.lease) }
    return tried.row.state.isOpen || tried.row.state == .setAside
  }

  private func deliver(
    _ tried: Tried, _ answer: Data, at now: StoreTime
  ) throws -> (row: OutboxRow, files: [String]) {
    var row = tried.row
    try database.run(
      Self.deliver, [.integer(row.sequence), .integer(now.wall)], bytes: placed(answer, of: row.sequence))
    if tried.isContentApart { try removeContent(row.sequence) }
    let files = tried.hasFiles ? try removeFiles(row.sequence) : []
    // As the statement has changed it, which is quicker than to read it again.
    row.state = .delivered
    row.changed = now.wall
    row.due = nil
    row.reason = nil
    row.answer = answer
    count(row, from: tried.row.state)
    return (row, files)
  }

  /// - Returns: What goes into the row; a long answer is put where those are.
  private func placed(_ answer: Data?, of sequence: Int64) throws -> Data? {
    guard let answer, !Self.isShort(answer) else { return answer }
    try store(answer: answer, of: sequence)
    return nil
  }

  /// The lease tells where its row is, which is quicker than to look for the id; it is there unless it was forgotten.
  private func find(_ lease: Lease) throws -> Tried? {
    try database.first(
      Self.findBySequence, [.integer(Self.sequence(ofLease: lease.number)), .id(lease.id)], tried)
      ?? database.first(Self.find, [.id(lease.id)], tried)
  }

  private func tried(_ statement: Statement) throws -> Tried {
    Tried(
      row: try row(statement), leases: statement.integer(Self.columnCount),
      hasFiles: statement.integer(Self.columnCount + 1) != 0,
      isContentApart: statement.integer(Self.columnCount + 2) != 0)
  }

  private func isLeased(_ tried: Tried, _ lease: Lease) -> Bool {
    tried.row.state == .trying && Self.leaseNumber(tried.row.sequence, tried.leases) == lease.number
  }

  func renew(_ leases: [Lease], for lease: Duration, at now: StoreTime) throws -> [Lease] {
    try adopt(now)
    let end = now.ticks + lease.storedMilliseconds
    return try leases.filter { lease in
      guard let tried = try find(lease), isLeased(tried, lease) else { return true }
      try database.run(Self.renew, [.integer(tried.row.sequence), .integer(end)])
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
