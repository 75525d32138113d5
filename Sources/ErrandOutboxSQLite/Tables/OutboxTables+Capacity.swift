import ErrandOutbox

extension OutboxTables {
  private static let oldestOfAll = Query(
    "SELECT seq FROM requests WHERE +state IN (0, 3) AND seq < ? ORDER BY seq LIMIT 1")
  private static let leastImportantOfAll = Query(
    """
    SELECT seq FROM requests INDEXED BY by_turn WHERE turn IS NOT NULL AND priority <= ?2 AND seq < ?1
    ORDER BY priority, seq LIMIT 1
    """)

  private struct Victim {
    let sequence: Int64
  }

  /// Drops other rows, as the caps say, until a row fits in.
  /// - Parameter sequence: The first sequence of the rows that are added together with this one; those are
  ///   not dropped for it.
  /// - Throws: `OutboxError.full` if there is no room and nothing may be dropped.
  func makeRoom(
    for row: NewRow, in capacity: inout Capacity, before sequence: Int64, at now: StoreTime,
    _ dropped: inout Dropped
  ) throws {
    guard capacity.couldFit(row) else { throw full(capacity) }
    try forgetOver(for: row, in: &capacity, &dropped)
    if capacity.fits(row) { return }
    guard capacity.caps.whenFull != .refuse else { throw full(capacity) }
    while !capacity.fits(row) {
      guard let victim = try victim(of: capacity.caps.whenFull, for: row, before: sequence) else {
        throw full(capacity)
      }
      let before = try self.row(at: .integer(victim.sequence))
      let gone = try drop(before, reason: "it was dropped to make room for newer requests", at: now)
      capacity.give(RowBytes.count(before.state, size: before.size, response: before.response?.count ?? 0))
      dropped.rows.append(gone.row)
      dropped.files += gone.files
      try forgetOver(for: row, in: &capacity, &dropped)
    }
  }

  /// Deletes finished rows, the oldest first, while their bytes are in the way of a row.
  private func forgetOver(for row: NewRow, in capacity: inout Capacity, _ dropped: inout Dropped) throws {
    while capacity.lacksBytes(for: row), capacity.isOverInTheWay, let oldest = try oldestOver() {
      dropped.files += try forget(oldest)
      capacity.giveOver(oldest.bytes)
    }
  }

  private func victim(
    of rule: OutboxCaps.Rule, for row: NewRow, before sequence: Int64
  ) throws -> Victim? {
    let most = rule == .dropOldest ? Int64.max : Int64(row.priority)
    var best: (rank: (Int64, Int64), victim: Victim)?
    guard let groups = try groups(of: [.stored, .deadLettered]) else {
      return try victimAmongMany(rule, most, sequence)
    }
    for group in groups where group.priority <= most {
      guard let oldest = try oldest(of: group), oldest < sequence else { continue }
      let rank = (rule == .dropOldest ? 0 : group.priority, oldest)
      if best.map({ rank < $0.rank }) ?? true { best = (rank, Victim(sequence: oldest)) }
    }
    return best?.victim
  }

  private func victimAmongMany(_ rule: OutboxCaps.Rule, _ most: Int64, _ sequence: Int64) throws -> Victim? {
    rule == .dropOldest
      ? try database.first(Self.oldestOfAll, [.integer(sequence)], victim)
      : try database.first(Self.leastImportantOfAll, [.integer(sequence), .integer(most)], victim)
  }

  private func victim(_ statement: Statement) -> Victim {
    Victim(sequence: statement.integer(0))
  }

  private func full(_ capacity: Capacity) -> OutboxError {
    let limits = [
      capacity.caps.count.map { "\($0) requests" }, capacity.caps.bytes.map { "\($0) bytes" },
    ]
    return OutboxError(
      .full,
      "the outbox is full: it holds \(capacity.count) requests of \(capacity.bytes) bytes, and at most "
        + limits.compactMap { $0 }.joined(separator: " and ")
        + "; wait until some are delivered, drop dead letters, or raise its caps")
  }
}
