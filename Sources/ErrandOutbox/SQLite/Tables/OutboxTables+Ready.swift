/// Which rows a claim takes: by their importance and age, as far as their origins have room. It looks at few more rows than it
/// takes, though a million of an origin without room may be in front of them.
extension OutboxTables {
  /// A row that may be claimed.
  struct ReadyRow {
    let row: OutboxRow
    /// How often it was claimed before.
    let leases: Int64
    let isOverdue: Bool
    let hasFiles: Bool
    /// Its content is not in the row.
    let isContentApart: Bool
    let content: Content
  }

  /// After so many rows without room it looks at each origin, of which there are fewer than rows.
  private static let mostPassedOver = 16

  /// No claim takes as many.
  private static let mostOfOrigin = 1 << 30

  private static let readyColumns = "\(columns), lease, expires <= ?1, files > 0, checksum, content"
  private static let ready = Query(
    """
    SELECT \(readyColumns) FROM requests INDEXED BY by_turn WHERE turn = 1 ORDER BY priority DESC, seq
    """)
  private static let readyAt = Query("SELECT \(readyColumns) FROM requests WHERE seq = ?2")
  private static let firstOfNextOrigin = Query(
    """
    SELECT origin, priority, seq FROM requests INDEXED BY by_origin WHERE turn = 1 AND origin > ?
    ORDER BY origin, priority DESC, seq LIMIT 1
    """)
  private static let firstOrigin = Query(
    """
    SELECT origin, priority, seq FROM requests INDEXED BY by_origin WHERE turn = 1
    ORDER BY origin, priority DESC, seq LIMIT 1
    """)
  private static let firstOfOrigin = Query(
    """
    SELECT origin, priority, seq FROM requests INDEXED BY by_origin WHERE turn = 1 AND origin = ?
    ORDER BY priority DESC, seq LIMIT ?
    """)

  /// - Returns: What to take, and whether there would be room for more, but for the limit.
  func choose(
    _ bounds: ClaimBounds, held: Set<String>, at now: StoreTime
  ) throws -> (rows: [ReadyRow], isMore: Bool) {
    var room = ClaimRoom(bounds, held: held)
    var rows: [ReadyRow] = []
    var passedOver = 0
    var isMore = false
    try database.each(Self.ready, [.integer(now.ticks)]) { statement in
      switch room.take(statement.text(Self.originColumn) ?? "") {
      case .taken: rows.append(try ready(statement))
      case .passedOver: passedOver += 1
      case .isMore: isMore = true
      }
      return !isMore && passedOver <= Self.mostPassedOver
    }
    guard passedOver > Self.mostPassedOver else { return (rows, isMore) }
    return room.hasRoomForOthers
      ? try chooseByOrigin(bounds, held, now) : try chooseOfNamed(&room, rows, limit: bounds.limit, now)
  }

  private struct Candidate {
    let origin: String
    let priority: Int64
    let sequence: Int64

    init(_ statement: Statement) {
      origin = statement.text(0) ?? ""
      priority = statement.integer(1)
      sequence = statement.integer(2)
    }

    static func isBefore(_ one: Candidate, _ other: Candidate) -> Bool {
      (other.priority, one.sequence) < (one.priority, other.sequence)
    }
  }

  /// The same, from the first rows of each origin.
  private func chooseByOrigin(
    _ bounds: ClaimBounds, _ held: Set<String>, _ now: StoreTime
  ) throws -> (rows: [ReadyRow], isMore: Bool) {
    var room = ClaimRoom(bounds, held: held)
    var candidates: [Candidate] = []
    var first = try database.first(Self.firstOrigin, [], Candidate.init)
    while let found = first {
      let most = min(room.room(found.origin), min(bounds.limit, Self.mostOfOrigin) + 1)
      if most == 1 {
        candidates.append(found)
      } else if most > 1 {
        candidates += try database.all(
          Self.firstOfOrigin, [.text(found.origin), .integer(most)], Candidate.init)
      }
      first = try database.first(Self.firstOfNextOrigin, [.text(found.origin)], Candidate.init)
    }
    return try take(candidates, &room, [], now)
  }

  /// What is left to be taken is of origins that are known by name, so none of the others is looked at.
  private func chooseOfNamed(
    _ room: inout ClaimRoom, _ taken: [ReadyRow], limit: Int, _ now: StoreTime
  ) throws -> (rows: [ReadyRow], isMore: Bool) {
    let known = Set(taken.map(\.row.sequence))
    var candidates: [Candidate] = []
    for origin in room.names {
      let most = min(room.room(origin), limit, Self.mostOfOrigin) + known.count + 1
      candidates += try database.all(Self.firstOfOrigin, [.text(origin), .integer(most)], Candidate.init)
        .filter { !known.contains($0.sequence) }
    }
    return try take(candidates, &room, taken, now)
  }

  /// - Parameter taken: Those before them.
  private func take(
    _ candidates: [Candidate], _ room: inout ClaimRoom, _ taken: [ReadyRow], _ now: StoreTime
  ) throws -> (rows: [ReadyRow], isMore: Bool) {
    var rows = taken
    for candidate in candidates.sorted(by: Candidate.isBefore) {
      switch room.take(candidate.origin) {
      case .taken:
        let row = try database.first(
          Self.readyAt, [.integer(now.ticks), .integer(candidate.sequence)], ready)
        if let row { rows.append(row) }
      case .passedOver: break
      case .isMore: return (rows, true)
      }
    }
    return (rows, false)
  }

  private func ready(_ statement: Statement) throws -> ReadyRow {
    let row = try row(statement)
    return ReadyRow(
      row: row, leases: statement.integer(Self.columnCount),
      isOverdue: statement.integer(Self.columnCount + 1) != 0,
      hasFiles: statement.integer(Self.columnCount + 2) != 0,
      isContentApart: statement.isNull(Self.columnCount + 4),
      content: try content(of: row.sequence, statement, at: Self.columnCount + 3))
  }

  /// Whether something may be claimed at once that is not for one of these origins, unless everything is paused.
  func isAnyReady(besides held: Set<String>) throws -> Bool {
    guard !held.isEmpty else { return try database.exists(Self.firstOrigin) }
    var first = try database.first(Self.firstOrigin, [], Candidate.init)
    while let found = first, held.contains(found.origin) {
      first = try database.first(Self.firstOfNextOrigin, [.text(found.origin)], Candidate.init)
    }
    return first != nil
  }
}
