import ErrandOutbox

extension OutboxTables {
  private static let insert = Query(
    """
    INSERT INTO requests(seq, id, lane, holds, priority, state, head, expires, expires_wall, lifetime, created,
      changed, size, files, summary, checksum, origin, content, due, due_wall, delay)
    VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7, ?8, ?9, ?10, ?10, ?11, ?12, ?13, ?14, ?15, ?19, ?16, ?17, ?18)
    ON CONFLICT(id) DO NOTHING
    """)
  private static let newest = Query("SELECT max(seq) FROM requests")
  private static let wasClaimed = Query("SELECT 1 FROM requests WHERE seq = ? AND lease > 0")
  private static let isKnown = Query("SELECT 1 FROM requests WHERE id = ?")

  func add(_ rows: [NewRow], within caps: OutboxCaps, at now: StoreTime) throws -> Dropped {
    try adopt(now)
    var dropped = Dropped()
    var capacity = Capacity(caps, used: caps.isLimited ? try usage() : nil)
    var sequence = try lastSequence()
    let firstNew = sequence + 1
    for (place, row) in rows.enumerated() {
      var freed = try makeWay(for: row, in: &capacity, &dropped)
      // With the freed sequence, this row could be dropped to make room for the next row of this call.
      if rows.count > 1, caps.isLimited, caps.whenFull != .refuse { freed = nil }
      if !capacity.fits(row) {
        if try database.exists(Self.isKnown, [.id(row.id)]) {
          dropped.known.append(place)
          continue
        }
        try makeRoom(for: row, in: &capacity, before: firstNew, at: now, &dropped)
      }
      if freed == nil { sequence += 1 }
      guard try insert(row, as: freed ?? sequence, at: now) else {
        dropped.known.append(place)
        continue
      }
      if freed != nil { try settle(row.lane) }
      capacity.take(row)
      counters.add(.stored, bytes: row.size)
    }
    known.lastSequence = sequence
    return dropped
  }

  /// Deletes the row that a newer one replaces.
  /// - Returns: The sequence that the newer one takes over; nil if it is added to the end.
  /// - Throws: `OutboxError.known` if the row may not be replaced.
  private func makeWay(
    for row: NewRow, in capacity: inout Capacity, _ dropped: inout Dropped
  ) throws -> Int64? {
    guard row.ifKnown != .ignore, let before = try self.row(row.id) else { return nil }
    let mayGo = row.ifKnown == .replace && [.stored, .deadLettered].contains(before.state)
    guard mayGo else { throw OutboxError.known(row.id, before.state, isReplacing: row.ifKnown == .replace) }
    let wasClaimed = try database.exists(Self.wasClaimed, [.integer(before.sequence)])
    let bytes = RowBytes.count(before.state, size: before.size, response: before.response?.count ?? 0)
    dropped.files += try forget(Over(sequence: before.sequence, state: before.state, end: 0, bytes: bytes))
    capacity.remove(bytes)
    try settle(before.lane)
    let isSameLane = before.lane.map(OutboxSelection.Lane.named) == row.lane.map(OutboxSelection.Lane.named)
    // An attempt of the earlier row may still end. It must not be mistaken for an attempt of the new row.
    return isSameLane && !wasClaimed ? before.sequence : nil
  }

  /// Returns the milliseconds from `now` to a time, both by the wall clock; zero if it has passed.
  fileprivate static func delay(until time: Int64, from now: Int64) -> Int64 {
    (Duration.milliseconds(time) - .milliseconds(now)).storedMilliseconds
  }

  /// The highest sequence that was ever used.
  func lastSequence() throws -> Int64 {
    if let known = known.lastSequence { return known }
    return max(try database.integer(Self.newest) ?? 0, try integer(.lastSequence) ?? 0)
  }

  /// Inserts a row with its content and files.
  /// - Returns: False if the id is known already; then nothing changes.
  private func insert(_ row: NewRow, as sequence: Int64, at now: StoreTime) throws -> Bool {
    let (lifetime, end) = row.expiry?.from(now.wall) ?? (nil, nil)
    let delay = row.notBefore.map { Self.delay(until: $0, from: now.wall) } ?? 0
    let isShort = Self.isShort(row.content)
    try database.run(
      Self.insert,
      [
        .integer(sequence), .id(row.id), .optional(row.lane), .bool(row.holdsLane), .integer(row.priority),
        .integer(try headOfLast(in: row.lane)), .optional(lifetime.map { now.ticks + $0 }),
        .optional(end), .optional(lifetime), .integer(now.wall),
        .integer(row.size), .integer(row.files.count), .bytes(row.summary),
        .integer(Self.checksum(of: row.content)), .text(row.origin),
        .integer(delay > 0 ? now.ticks + delay : 0), .integer(delay > 0 ? now.wall + delay : 0),
        .integer(delay),
      ], bytes: isShort ? row.content : nil)
    guard database.changes > 0 else { return false }
    if !isShort { try store(row.content, of: sequence) }
    for file in row.files { try store(file, of: sequence) }
    hasNews = true
    return true
  }
}

extension NewRow.Expiry {
  /// Returns the time that the request has from `now` on, and its end by the wall clock, both in
  /// milliseconds.
  fileprivate func from(_ now: Int64) -> (lifetime: Int64?, end: Int64?) {
    switch self {
    case .after(let lifetime): (lifetime.storedMilliseconds, now + lifetime.storedMilliseconds)
    case .at(let end): (OutboxTables.delay(until: end, from: now), end)
    }
  }
}
