import ErrandOutbox

extension OutboxTables {
  static let pruneSize = 500
  /// The number of free pages that the file may keep for later rows.
  private static let keptPages: Int64 = 256

  private static let over = Query(
    """
    SELECT seq, ended_at, size, ifnull(length(response), 0)
      + ifnull((SELECT length(responses.response) FROM responses WHERE responses.seq = requests.seq), 0)
    FROM requests INDEXED BY over WHERE ended = ?1 AND ended_at <= ?2 ORDER BY ended_at LIMIT ?3
    """)
  private static let forget = Query("DELETE FROM requests WHERE seq = ?")
  private static let newest = Query("SELECT max(seq) FROM requests")
  private static let freePages = Query("PRAGMA freelist_count")

  /// A finished row: delivered, expired or dropped.
  struct Over {
    let sequence: Int64
    let state: OutboxState
    let end: Int64
    /// The bytes that are counted for the row.
    let bytes: Int64
  }

  private static let endings: [OutboxState] = [.delivered, .expired, .dropped]

  /// Deletes up to `pruneSize` finished rows of each state that ended at or before `changed`.
  /// - Returns: The names of their files, and whether all such rows are deleted.
  func prune(changedBefore changed: Int64) throws -> (files: [String], isDone: Bool) {
    var files: [String] = []
    var isDone = true
    for state in Self.endings {
      let over = try over(state, upTo: changed, limit: Self.pruneSize)
      for row in over { files += try forget(row) }
      if over.count == Self.pruneSize { isDone = false }
    }
    if isDone {
      try removeOldUploads()
      try removeFullRates(at: time())
    }
    return (files, isDone)
  }

  /// Deletes delivered and dropped rows, the oldest first, to free their pages. These rows have no files any
  /// more.
  /// - Returns: False if no such row exists.
  func forgetSome(_ most: Int) throws -> Bool {
    let ended = try [OutboxState.delivered, .dropped].flatMap { try over($0, upTo: .max, limit: most) }
    for row in ended.sorted(by: { $0.end < $1.end }).prefix(most) { _ = try forget(row) }
    return !ended.isEmpty
  }

  /// Returns the finished row that ended first.
  func oldestOver() throws -> Over? {
    try Self.endings.compactMap { try over($0, upTo: .max, limit: 1).first }.min { $0.end < $1.end }
  }

  private func over(_ state: OutboxState, upTo end: Int64, limit: Int) throws -> [Over] {
    try database.all(Self.over, [.state(state), .integer(end), .integer(limit)]) {
      let bytes = RowBytes.count(state, size: $0.integer(2), response: Int($0.integer(3)))
      return Over(sequence: $0.integer(0), state: state, end: $0.integer(1), bytes: bytes)
    }
  }

  /// Deletes a finished row.
  /// - Returns: The names of its files.
  func forget(_ over: Over) throws -> [String] {
    // Otherwise the next new row would get the sequence of the deleted one.
    if over.sequence == (try database.integer(Self.newest)) {
      try set(.lastSequence, to: .integer(max(over.sequence, try lastSequence())))
    }
    let files = try removeParts(over.sequence)
    try database.run(Self.forget, [.integer(over.sequence)])
    counters.remove(over.state, bytes: over.bytes)
    hasNews = true
    return files
  }

  /// Returns up to 256 unused pages of the file to the disk.
  /// - Returns: True if no more pages have to be returned.
  func shrink() throws -> Bool {
    guard let free = try database.integer(Self.freePages), free > Self.keptPages else { return true }
    database.knownRoom = nil
    try database.execute("PRAGMA incremental_vacuum(\(min(free - Self.keptPages, 256)))")
    return free - Self.keptPages <= 256
  }
}
