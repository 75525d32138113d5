import ErrandOutbox

/// Chooses the rows that a claim takes: by priority and age, within the capacities of their origins. It reads
/// few more rows than it takes, even if a million rows of an origin without capacity come before them.
extension OutboxTables {
  /// A row that may be claimed.
  struct ReadyRow {
    let row: OutboxRow
    /// The number of times that the row was claimed before.
    let leases: Int64
    /// The milliseconds until the row expires; nil if it does not expire.
    let timeLeft: Int64?
    let hasFiles: Bool
    /// True if the content is stored outside the row.
    let isContentApart: Bool
    let content: Content
    /// The milliseconds until the row is due.
    var wait: Int64 = 0
  }

  /// The number of rows without capacity after which the search continues from origin to origin, because
  /// there are fewer origins than rows.
  private static let mostPassedOver = 16

  /// More rows than any claim takes. It keeps the limit of a query from overflowing.
  private static let mostOfOrigin = 1 << 30

  static let readyColumns = "\(columns), lease, expires - ?1, files > 0, checksum, content"
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

  /// Chooses the rows to claim.
  /// - Returns: The rows, and whether more rows could be claimed if the limit were higher.
  func choose(
    _ bounds: ClaimBounds, held: Set<String>, at now: StoreTime
  ) throws -> (rows: [ReadyRow], isMore: Bool) {
    var capacity = ClaimCapacity(bounds, held: held)
    var rows: [ReadyRow] = []
    var passedOver = 0
    var isMore = false
    try database.each(Self.ready, [.integer(now.ticks)]) { statement in
      switch capacity.take(statement.text(Self.originColumn) ?? "") {
      case .taken: rows.append(try ready(statement))
      case .passedOver: passedOver += 1
      case .isMore: isMore = true
      }
      return !isMore && passedOver <= Self.mostPassedOver
    }
    guard passedOver > Self.mostPassedOver else { return (rows, isMore) }
    return capacity.hasRoomForOthers
      ? try chooseByOrigin(bounds, held, rows, now)
      : try chooseOfNamed(&capacity, rows, limit: bounds.limit, now)
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

  /// Chooses the same rows, from the first rows of each origin.
  /// - Parameter known: Rows that were read already.
  private func chooseByOrigin(
    _ bounds: ClaimBounds, _ held: Set<String>, _ known: [ReadyRow], _ now: StoreTime
  ) throws -> (rows: [ReadyRow], isMore: Bool) {
    var capacity = ClaimCapacity(bounds, held: held)
    var candidates: [Candidate] = []
    var first = try database.first(Self.firstOrigin, [], Candidate.init)
    while let found = first {
      let most = min(capacity.capacity(found.origin), min(bounds.limit, Self.mostOfOrigin) + 1)
      if most == 1 {
        candidates.append(found)
      } else if most > 1 {
        candidates += try database.all(
          Self.firstOfOrigin, [.text(found.origin), .integer(most)], Candidate.init)
      }
      first = try database.first(Self.firstOfNextOrigin, [.text(found.origin)], Candidate.init)
    }
    return try take(candidates, &capacity, [], known, now)
  }

  /// Chooses the remaining rows when only named origins have capacity. The rows of other origins are not
  /// read.
  private func chooseOfNamed(
    _ capacity: inout ClaimCapacity, _ taken: [ReadyRow], limit: Int, _ now: StoreTime
  ) throws -> (rows: [ReadyRow], isMore: Bool) {
    let known = Set(taken.map(\.row.sequence))
    var candidates: [Candidate] = []
    for origin in capacity.names {
      let most = min(capacity.capacity(origin), limit, Self.mostOfOrigin) + known.count + 1
      candidates += try database.all(Self.firstOfOrigin, [.text(origin), .integer(most)], Candidate.init)
        .filter { !known.contains($0.sequence) }
    }
    return try take(candidates, &capacity, taken, [], now)
  }

  /// Takes candidates, in order of priority and age, while there is capacity.
  /// - Parameters:
  ///   - taken: The rows that were chosen before.
  ///   - known: Other rows that were read already.
  private func take(
    _ candidates: [Candidate], _ capacity: inout ClaimCapacity, _ taken: [ReadyRow], _ known: [ReadyRow],
    _ now: StoreTime
  ) throws -> (rows: [ReadyRow], isMore: Bool) {
    var rows = taken
    let known = Dictionary(known.map { ($0.row.sequence, $0) }) { first, _ in first }
    for candidate in candidates.sorted(by: Candidate.isBefore) {
      switch capacity.take(candidate.origin) {
      case .taken:
        let row =
          try known[candidate.sequence]
          ?? database.first(Self.readyAt, [.integer(now.ticks), .integer(candidate.sequence)], ready)
        if let row { rows.append(row) }
      case .passedOver: break
      case .isMore: return (rows, true)
      }
    }
    return (rows, false)
  }

  func ready(_ statement: Statement) throws -> ReadyRow {
    let row = try row(statement)
    return ReadyRow(
      row: row, leases: statement.integer(Self.columnCount),
      timeLeft: statement.optionalInteger(Self.columnCount + 1),
      hasFiles: statement.integer(Self.columnCount + 2) != 0,
      isContentApart: statement.isNull(Self.columnCount + 4),
      content: try content(of: row.sequence, statement, at: Self.columnCount + 3))
  }

  /// Returns true if a row may be claimed now whose origin is not one of these. It does not check whether the
  /// whole outbox is paused.
  func isAnyReady(besides held: Set<String>) throws -> Bool {
    guard !held.isEmpty else { return try database.exists(Self.firstOrigin) }
    var first = try database.first(Self.firstOrigin, [], Candidate.init)
    while let found = first, held.contains(found.origin) {
      first = try database.first(Self.firstOfNextOrigin, [.text(found.origin)], Candidate.init)
    }
    return first != nil
  }
}
