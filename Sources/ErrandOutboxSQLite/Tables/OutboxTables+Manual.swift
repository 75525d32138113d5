import ErrandOutbox

/// Operations that a user starts: retry, drop, and rescheduling after the network has come back.
extension OutboxTables {
  /// The most rows that one transaction changes.
  static let pageSize = 500

  private static let rescheduleOffline = Query(
    """
    UPDATE requests SET due = 0, offline = 0 WHERE seq IN (
      SELECT seq FROM requests INDEXED BY offline WHERE offline = 1 LIMIT \(pageSize))
    """)
  private static let makeDue = Query(
    "UPDATE requests SET due = 0, offline = 0 WHERE seq = ?")
  private static let redrive = Query(
    """
    UPDATE requests SET state = 0, ended = NULL, ended_at = NULL, head = iif(lane IS NULL, 1, ifnull(head, 0)), due = 0, offline = 0,
      expires = NULL, expires_wall = NULL, lifetime = NULL, attempts = 0, counted = 0, changed = ?2, reason = NULL,
      response = NULL
    WHERE seq = ?1
    """)
  private static let drop = Query(
    """
    UPDATE requests SET state = 5, ended = 5, ended_at = ?2, head = NULL, due = 0, offline = 0, changed = ?2, reason = ?3,
      checksum = NULL, content = NULL, response = NULL
    WHERE seq = ?1
    """)

  /// A part of a long operation, so that other operations need not wait for all of it.
  struct Part {
    /// The next part begins after this sequence.
    var last: Int64 = 0
    /// The highest sequence of the operation: rows that were added after it began are left. Nil before the
    /// first part.
    var end: Int64?
    var isLast = false
  }

  /// Makes rows due now that wait because the network was missing. Ends the holds of all origins except the
  /// busy ones.
  /// - Returns: The number of rows; fewer than `pageSize` if no more rows wait.
  func rescheduleOffline(at now: StoreTime) throws -> Int {
    try adopt(now)
    try database.run(Self.rescheduleOffline)
    let count = database.changes
    if count > 0 { hasNews = true }
    try releaseAll(but: .busy)
    return count
  }

  /// Makes the rows of one part due now.
  /// - Parameter selection: Rows that are stored, being attempted, dead letters or expired.
  func retry(_ selection: OutboxSelection, in part: inout Part, at now: StoreTime) throws -> [OutboxRow] {
    try adopt(now)
    var retried: [OutboxRow] = []
    var origins: Set<String> = []
    try forEach(selection, in: &part) { row in
      origins.insert(row.origin)
      if row.state == .attempting { return retried.append(try free(row, at: now)) }
      guard row.state != .stored else {
        return retried.append(try change(Self.makeDue, [.integer(row.sequence)], from: .stored))
      }
      try removeResponse(row.sequence)
      retried.append(
        try change(
          Self.redrive, [.integer(row.sequence), .integer(now.wall)], from: row.state,
          response: row.response?.count ?? 0))
      try settle(row.lane)
    }
    if !retried.isEmpty { hasNews = true }
    try release(Array(origins))
    return retried
  }

  func drop(
    _ selection: OutboxSelection, reason: String, in part: inout Part, at now: StoreTime
  ) throws -> Dropped {
    try adopt(now)
    var dropped = Dropped()
    try forEach(selection.limited(to: [.stored, .deadLettered, .expired]), in: &part) { row in
      let gone = try drop(row, reason: reason, at: now)
      dropped.rows.append(gone.row)
      dropped.files += gone.files
    }
    if !dropped.rows.isEmpty { hasNews = true }
    return dropped
  }

  func drop(
    _ row: OutboxRow, reason: String, at now: StoreTime
  ) throws -> (row: OutboxRow, files: [String]) {
    let files = try removeParts(row.sequence)
    let gone = try change(
      Self.drop, [.integer(row.sequence), .integer(now.wall), .text(reason)], from: row.state,
      response: row.response?.count ?? 0)
    try settle(gone.lane)
    return (gone, files)
  }

  /// Calls `body` for the next part of a selection, in the order of enqueue. The changes that `body` makes to
  /// a row do not affect which rows follow.
  private func forEach(
    _ selection: OutboxSelection, in part: inout Part, _ body: (OutboxRow) throws -> Void
  ) throws {
    let end = try part.end ?? lastSequence()
    let page = try list(selection, after: part.last, limit: Self.pageSize)
    let meant = page.prefix { $0.sequence <= end }
    for row in meant { try body(row) }
    part = Part(
      last: page.last?.sequence ?? end, end: end,
      // A selection of ids never has more than one page.
      isLast: meant.count < page.count || page.count < Self.pageSize || selection.ids != nil)
  }
}
