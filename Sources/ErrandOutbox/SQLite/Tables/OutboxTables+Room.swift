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

  /// Drops others, as the caps say, until a row fits in.
  /// - Parameter sequence: Where those begin that come together with it; they are not dropped for it.
  func makeRoom(
    for row: NewRow, in room: inout Room, before sequence: Int64, at now: StoreTime, _ dropped: inout Dropped
  ) throws {
    guard room.couldFit(row) else { throw full(room) }
    try forgetOver(for: row, in: &room, &dropped)
    if room.fits(row) { return }
    guard room.caps.whenFull != .refuse else { throw full(room) }
    while !room.fits(row) {
      guard let victim = try victim(of: room.caps.whenFull, for: row, before: sequence) else {
        throw full(room)
      }
      let before = try self.row(at: .integer(victim.sequence))
      let gone = try drop(before, reason: "it was dropped to make room for newer requests", at: now)
      room.give(RowBytes.count(before.state, size: before.size, answer: before.answer?.count ?? 0))
      dropped.rows.append(gone.row)
      dropped.files += gone.files
      try forgetOver(for: row, in: &room, &dropped)
    }
  }

  /// What is over is told, and kept as long as there is room only: the oldest goes first.
  private func forgetOver(for row: NewRow, in room: inout Room, _ dropped: inout Dropped) throws {
    while room.lacksBytes(for: row), room.isOverInTheWay, let oldest = try oldestOver() {
      dropped.files += try forget(oldest)
      room.giveOver(oldest.bytes)
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
