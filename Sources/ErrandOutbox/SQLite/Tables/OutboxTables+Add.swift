extension OutboxTables {
  private static let insert = Query(
    """
    INSERT INTO requests(seq, id, lane, holds, priority, state, head, expires, expires_wall, lifetime, created,
      changed, size, summary)
    VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7, ?8, ?9, ?10, ?10, ?11, ?12) ON CONFLICT(id) DO NOTHING
    """)
  private static let newest = Query("SELECT max(seq) FROM requests")
  private static let count = Query(
    "UPDATE totals SET count = count + ?, bytes = bytes + ? WHERE state = 0")
  private static let isKnown = Query("SELECT 1 FROM requests WHERE id = ?")

  func add(_ rows: [NewRow], within caps: OutboxCaps, at now: StoreTime) throws -> Dropped {
    try adopt(now)
    var dropped = Dropped()
    var room = Room(caps, used: caps.isLimited ? try usage() : nil)
    var sequence = try lastSequence()
    let firstNew = sequence + 1
    var added = (count: Int64(0), bytes: Int64(0))
    for row in rows {
      if !room.fits(row) {
        if try database.exists(Self.isKnown, [.id(row.id)]) { continue }
        try makeRoom(for: row, in: &room, before: firstNew, at: now, &dropped)
      }
      sequence += 1
      guard try insert(row, as: sequence, at: now) else { continue }
      room.take(row)
      added = (added.count + 1, added.bytes + row.size)
    }
    // Once for all of them: a trigger costs a single row a quarter of its time.
    if added.count > 0 { try database.run(Self.count, [.integer(added.count), .integer(added.bytes)]) }
    known.lastSequence = sequence
    known.usage = caps.isLimited ? (room.count, room.bytes) : nil
    return dropped
  }

  /// The highest that was ever given out.
  func lastSequence() throws -> Int64 {
    if let known = known.lastSequence { return known }
    return max(try database.integer(Self.newest) ?? 0, try integer(.lastSequence) ?? 0)
  }

  /// False if the id is known already.
  private func insert(_ row: NewRow, as sequence: Int64, at now: StoreTime) throws -> Bool {
    let lifetime = row.lifetime?.storedMilliseconds
    try database.run(
      Self.insert,
      [
        .integer(sequence), .id(row.id), .optional(row.lane), .bool(row.holdsLane), .integer(row.priority),
        .integer(try headOfLast(in: row.lane)), .optional(lifetime.map { now.ticks + $0 }),
        .optional(lifetime.map { now.wall + $0 }), .optional(lifetime), .integer(now.wall),
        .integer(row.size), .bytes(row.summary),
      ])
    guard database.changes > 0 else { return false }
    try store(row, as: sequence)
    hasNews = true
    return true
  }
}
