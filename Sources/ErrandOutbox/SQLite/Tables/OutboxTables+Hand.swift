/// What is done by hand.
extension OutboxTables {
  private static let pageSize = 500

  private static let hasten = Query(
    "UPDATE requests SET due = 0, offline = 0 WHERE offline = 1")
  private static let makeDue = Query(
    "UPDATE requests SET due = 0, offline = 0 WHERE seq = ?")
  private static let redrive = Query(
    """
    UPDATE requests SET state = 0, ended = NULL, ended_at = NULL, head = iif(lane IS NULL, 1, ifnull(head, 0)), due = 0, offline = 0,
      expires = NULL, expires_wall = NULL, lifetime = NULL, tries = 0, counted = 0, changed = ?2, reason = NULL,
      answer = NULL
    WHERE seq = ?1
    """)
  private static let drop = Query(
    """
    UPDATE requests SET state = 5, ended = 5, ended_at = ?2, head = NULL, due = 0, offline = 0, changed = ?2, reason = ?3,
      checksum = NULL, content = NULL, answer = NULL
    WHERE seq = ?1
    """)

  func hasten(at now: StoreTime) throws -> Int {
    try adopt(now)
    try database.run(Self.hasten)
    let count = database.changes
    if count > 0 { hasNews = true }
    return count
  }

  func retry(_ selection: OutboxSelection, at now: StoreTime) throws -> [OutboxRow] {
    try adopt(now)
    var retried: [OutboxRow] = []
    try forEach(selection.limited(to: [.stored, .setAside, .expired])) { row in
      guard row.state != .stored else {
        return retried.append(try change(Self.makeDue, [.integer(row.sequence)], from: .stored))
      }
      try removeAnswer(row.sequence)
      retried.append(try change(Self.redrive, [.integer(row.sequence), .integer(now.wall)], from: row.state))
      try settle(row.lane)
    }
    if !retried.isEmpty { hasNews = true }
    return retried
  }

  func drop(_ selection: OutboxSelection, reason: String, at now: StoreTime) throws -> Dropped {
    try adopt(now)
    var dropped = Dropped()
    try forEach(selection.limited(to: [.stored, .setAside, .expired])) { row in
      let gone = try drop(row.sequence, in: row.state, reason: reason, at: now)
      dropped.rows.append(gone.row)
      dropped.files += gone.files
    }
    if !dropped.rows.isEmpty { hasNews = true }
    return dropped
  }

  func drop(
    _ sequence: Int64, in state: OutboxState, reason: String, at now: StoreTime
  ) throws -> (row: OutboxRow, files: [String]) {
    let files = try removeParts(sequence)
    let row = try change(Self.drop, [.integer(sequence), .integer(now.wall), .text(reason)], from: state)
    try settle(row.lane)
    return (row, files)
  }

  /// In the order of enqueue. What a row becomes has no effect on which others follow.
  private func forEach(_ selection: OutboxSelection, _ body: (OutboxRow) throws -> Void) throws {
    var last: Int64 = 0
    while true {
      let page = try list(selection, after: last, limit: Self.pageSize)
      for row in page { try body(row) }
      guard let end = page.last, page.count == Self.pageSize else { return }
      last = end.sequence
    }
  }
}
