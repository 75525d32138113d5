extension OutboxTables {
  static let pruneSize = 500
  /// Free pages that the file may keep, for what comes next.
  private static let keptPages: Int64 = 256

  private static let over = Query(
    """
    SELECT seq, size FROM requests INDEXED BY over WHERE ended = ? AND ended_at <= ?
    ORDER BY ended_at LIMIT \(pruneSize)
    """)
  private static let forget = Query("DELETE FROM requests WHERE seq = ?")
  private static let newest = Query("SELECT max(seq) FROM requests")
  private static let freePages = Query("PRAGMA freelist_count")

  /// Forgets some of what is over.
  /// - Returns: Their files, and whether there is no more.
  func prune(changedBefore changed: Int64) throws -> (files: [String], isDone: Bool) {
    let newest = try database.integer(Self.newest)
    var files: [String] = []
    var isDone = true
    for state in [OutboxState.delivered, .expired, .dropped] {
      let over = try database.all(Self.over, [.state(state), .integer(changed)]) {
        ($0.integer(0), $0.integer(1))
      }
      for (sequence, size) in over {
        // Else the next to come would have the sequence of one that is gone.
        if sequence == newest { try set(.lastSequence, to: .integer(max(sequence, try lastSequence()))) }
        files += try removeParts(sequence)
        try database.run(Self.forget, [.integer(sequence)])
        tally.remove(state, bytes: size)
      }
      if !over.isEmpty { hasNews = true }
      if over.count == Self.pruneSize { isDone = false }
    }
    return (files, isDone)
  }

  /// Gives some of the disk back that is not used any more.
  /// - Returns: Whether there is no more.
  func shrink() throws -> Bool {
    guard let free = try database.integer(Self.freePages), free > Self.keptPages else { return true }
    try database.execute("PRAGMA incremental_vacuum(\(min(free - Self.keptPages, 256)))")
    return free - Self.keptPages <= 256
  }
}
