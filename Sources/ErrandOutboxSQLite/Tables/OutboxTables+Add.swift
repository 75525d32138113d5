import ErrandOutbox

extension OutboxTables {
  private static let insert = Query(
    """
    INSERT INTO requests(seq, id, lane, holds, priority, state, head, expires, expires_wall, lifetime, created,
      changed, size, files, summary, checksum, origin, content)
    VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7, ?8, ?9, ?10, ?10, ?11, ?12, ?13, ?14, ?15, ?16) ON CONFLICT(id) DO NOTHING
    """)
  private static let newest = Query("SELECT max(seq) FROM requests")
  private static let isKnown = Query("SELECT 1 FROM requests WHERE id = ?")

  func add(_ rows: [NewRow], within caps: OutboxCaps, at now: StoreTime) throws -> Dropped {
    try adopt(now)
    var dropped = Dropped()
    var capacity = Capacity(caps, used: caps.isLimited ? try usage() : nil)
    var sequence = try lastSequence()
    let firstNew = sequence + 1
    for (place, row) in rows.enumerated() {
      if !capacity.fits(row) {
        if try database.exists(Self.isKnown, [.id(row.id)]) {
          dropped.known.append(place)
          continue
        }
        try makeRoom(for: row, in: &capacity, before: firstNew, at: now, &dropped)
      }
      sequence += 1
      guard try insert(row, as: sequence, at: now) else {
        dropped.known.append(place)
        continue
      }
      capacity.take(row)
      counters.add(.stored, bytes: row.size)
    }
    known.lastSequence = sequence
    return dropped
  }

  /// The highest sequence number that was ever given out.
  func lastSequence() throws -> Int64 {
    if let known = known.lastSequence { return known }
    return max(try database.integer(Self.newest) ?? 0, try integer(.lastSequence) ?? 0)
  }

  /// Inserts a row with its content and files.
  /// - Returns: False if the id is known already; then nothing is changed.
  private func insert(_ row: NewRow, as sequence: Int64, at now: StoreTime) throws -> Bool {
    let (lifetime, end) = row.expiry?.from(now.wall) ?? (nil, nil)
    let isShort = Self.isShort(row.content)
    try database.run(
      Self.insert,
      [
        .integer(sequence), .id(row.id), .optional(row.lane), .bool(row.holdsLane), .integer(row.priority),
        .integer(try headOfLast(in: row.lane)), .optional(lifetime.map { now.ticks + $0 }),
        .optional(end), .optional(lifetime), .integer(now.wall),
        .integer(row.size), .integer(row.files.count), .bytes(row.summary),
        .integer(Self.checksum(of: row.content)), .text(row.origin),
      ], bytes: isShort ? row.content : nil)
    guard database.changes > 0 else { return false }
    if !isShort { try store(row.content, of: sequence) }
    for file in row.files { try store(file, of: sequence) }
    hasNews = true
    return true
  }
}

extension NewRow.Expiry {
  /// Returns how long the request has from `now` on, and when that ends by the wall clock, both in milliseconds.
  fileprivate func from(_ now: Int64) -> (lifetime: Int64?, end: Int64?) {
    switch self {
    case .after(let lifetime): (lifetime.storedMilliseconds, now + lifetime.storedMilliseconds)
    case .at(let end): ((Duration.milliseconds(end) - .milliseconds(now)).storedMilliseconds, end)
    }
  }
}
