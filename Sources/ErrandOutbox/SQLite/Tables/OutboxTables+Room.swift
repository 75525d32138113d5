extension OutboxTables {
  private static let oldestOfAll = Query(
    "SELECT seq, state FROM requests WHERE +state IN (0, 3) AND seq < ? ORDER BY seq LIMIT 1")
  private static let leastImportantOfAll = Query(
    """
    SELECT seq, state FROM requests INDEXED BY by_turn WHERE turn IS NOT NULL AND priority <= ?2 AND seq < ?1
    ORDER BY priority, seq LIMIT 1
    """)

  private struct Victim {
    let sequence: Int64
    let state: OutboxState
  }

  /// Drops others, as the caps say, until a row fits in.
  /// - Parameter sequence: Where those begin that come together with it; they are not dropped for it.
  func makeRoom(
    for row: NewRow, in room: inout Room, before sequence: Int64, at now: StoreTime, _ dropped: inout Dropped
  ) throws {
    guard room.caps.whenFull != .refuse, room.couldFit(row) else { throw full(room) }
    while !room.fits(row) {
      guard let victim = try victim(of: room.caps.whenFull, for: row, before: sequence) else {
        throw full(room)
      }
      let gone = try drop(
        victim.sequence, in: victim.state, reason: "it was dropped to make room for newer requests", at: now)
      room.give(gone.row)
      dropped.rows.append(gone.row)
      dropped.files += gone.files
    }
  }

  private func victim(
    of rule: OutboxCaps.Rule, for row: NewRow, before sequence: Int64
  ) throws -> Victim? {
    let most = rule == .dropOldest ? Int64.max : Int64(row.priority)
    var best: (rank: (Int64, Int64), victim: Victim)?
    guard let groups = try groups(of: [.stored, .setAside]) else {
      return try victimAmongMany(rule, most, sequence)
    }
    for group in groups where group.priority <= most {
      guard let oldest = try oldest(of: group), oldest < sequence else { continue }
      let rank = (rule == .dropOldest ? 0 : group.priority, oldest)
      if best.map({ rank < $0.rank }) ?? true { best = (rank, Victim(sequence: oldest, state: group.state)) }
    }
    return best?.victim
  }

  private func victimAmongMany(_ rule: OutboxCaps.Rule, _ most: Int64, _ sequence: Int64) throws -> Victim? {
    rule == .dropOldest
      ? try database.first(Self.oldestOfAll, [.integer(sequence)], victim)
      : try database.first(Self.leastImportantOfAll, [.integer(sequence), .integer(most)], victim)
  }

  private func victim(_ statement: Statement) -> Victim {
    Victim(sequence: statement.integer(0), state: statement.integer(1) == 3 ? .setAside : .stored)
  }

  private func full(_ room: Room) -> OutboxError {
    let limits = [
      room.caps.count.map { "\($0) requests" }, room.caps.bytes.map { "\($0) bytes" },
    ]
    return OutboxError(
      .full,
      "the outbox is full: it holds \(room.count) requests of \(room.bytes) bytes, and at most "
        + limits.compactMap { $0 }.joined(separator: " and ")
        + "; wait until some are delivered, drop what is set aside, or raise its caps")
  }
}
