#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxTables {
  private struct Tried {
    let sequence: Int64
    let state: OutboxState?
    let lease: Int64
  }

  private static let find = Query("SELECT seq, state, lease FROM requests WHERE id = ?")
  private static let findBySequence = Query("SELECT seq, state, lease FROM requests WHERE seq = ? AND id = ?")
  private static let deliver = Query(
    """
    UPDATE requests SET state = 2, head = NULL, owner = NULL, lease_end = NULL, due = 0, offline = 0,
      changed = ?2, reason = NULL
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
      changed = ?2, reason = ?3
    WHERE seq = ?1
    """)
  private static let giveBack = Query(
    """
    UPDATE requests SET state = 0, owner = NULL, lease_end = NULL, tries = tries - 1, counted = counted - 1,
      changed = ifnull(?2, changed)
    WHERE seq = ?1
    """)
  private static let insertAnswer = Query("INSERT OR REPLACE INTO answers(seq, answer) VALUES (?, ?)")
  private static let deleteAnswer = Query("DELETE FROM answers WHERE seq = ?")
  private static let renew = Query("UPDATE requests SET lease_end = ?2 WHERE seq = ?1")
  private static let claimed = Query("SELECT seq FROM requests WHERE state = 1 AND owner = ?")

  func finish(_ tries: [FinishedTry], at now: StoreTime) throws -> [Finished] {
    try adopt(now)
    return try tries.map { try finish($0, at: now) }
  }

  private func finish(_ finished: FinishedTry, at now: StoreTime) throws -> Finished {
    guard let tried = try find(finished.lease) else { return Finished(row: nil) }
    let isLeased = isLeased(tried, finished.lease)
    let key: [SQLValue] = [.integer(tried.sequence), .integer(now.wall)]
    var files: [String] = []
    let row: OutboxRow
    switch finished.outcome {
    case .delivered(let answer):
      guard let state = tried.state, state.isOpen || state == .setAside else { return Finished(row: nil) }
      try setAnswer(of: tried.sequence, to: answer)
      files = try removeContent(tried.sequence)
      row = try change(Self.deliver, key)
    case .failed(let reason, let next, let counts, let wasOffline):
      guard isLeased else { return Finished(row: nil) }
      let delay = next.storedMilliseconds
      row = try change(
        Self.fail,
        key + [
          .integer(delay > 0 ? now.ticks + delay : 0), .integer(delay > 0 ? now.wall + delay : 0),
          .integer(delay), .bool(wasOffline && delay > 0), .bool(!counts), .text(reason),
        ])
    case .refused(let reason, let answer):
      guard isLeased else { return Finished(row: nil) }
      if let answer { try setAnswer(of: tried.sequence, to: answer) }
      row = try change(Self.setAside, key + [.text(reason)])
    case .returned:
      guard isLeased else { return Finished(row: nil) }
      row = try change(Self.giveBack, key)
    }
    try settle(row.lane)
    hasNews = true
    return Finished(row: row, files: files)
  }

  /// The lease tells where its row is, which is quicker than to look for the id; it is there unless it was forgotten.
  private func find(_ lease: Lease) throws -> Tried? {
    try database.first(
      Self.findBySequence, [.integer(Self.sequence(ofLease: lease.number)), .id(lease.id)], tried)
      ?? database.first(Self.find, [.id(lease.id)], tried)
  }

  private func tried(_ statement: Statement) -> Tried {
    Tried(
      sequence: statement.integer(0), state: OutboxState(rawValue: Int(statement.integer(1))),
      lease: statement.integer(2))
  }

  private func isLeased(_ tried: Tried, _ lease: Lease) -> Bool {
    tried.state == .trying && Self.leaseNumber(tried.sequence, tried.lease) == lease.number
  }

  private func setAnswer(of sequence: Int64, to answer: Data) throws {
    try database.run(Self.insertAnswer, [.integer(sequence)], bytes: answer)
  }

  func removeAnswer(_ sequence: Int64) throws { try database.run(Self.deleteAnswer, [.integer(sequence)]) }

  func renew(_ leases: [Lease], for lease: Duration, at now: StoreTime) throws -> [Lease] {
    try adopt(now)
    let end = now.ticks + lease.storedMilliseconds
    return try leases.filter { lease in
      guard let tried = try find(lease), isLeased(tried, lease) else { return true }
      try database.run(Self.renew, [.integer(tried.sequence), .integer(end)])
      return false
    }
  }

  /// Gives back all that this owner has claimed.
  func giveBackAll() throws {
    for sequence in try database.all(Self.claimed, [.text(owner)], { $0.integer(0) }) {
      try settle(change(Self.giveBack, [.integer(sequence), .null]).lane)
      hasNews = true
    }
  }
}
