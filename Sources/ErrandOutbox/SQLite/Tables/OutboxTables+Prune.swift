extension OutboxTables {
  static let pruneSize = 500
  /// Free pages that the file may keep, for what comes next.
  private static let keptPages: Int64 = 256

  private static let over = Query(
    "SELECT seq FROM requests INDEXED BY over WHERE state IN (2, 4, 5) AND changed <= ? ORDER BY changed LIMIT \(pruneSize)"
  )
  private static let forget = Query("DELETE FROM requests WHERE seq = ?")
  private static let newest = Query("SELECT max(seq) FROM requests")
  private static let freePages = Query("PRAGMA freelist_count")

  /// Forgets some of what is over.
  /// - Returns: Their files, and whether there is no more.
  func prune(changedBefore changed: Int64) throws -> (files: [String], isDone: Bool) {
    let sequences = try database.all(Self.over, [.integer(changed)]) { $0.integer(0) }
    let newest = try database.integer(Self.newest)
    var files: [String] = []
    for sequence in sequences {
      try removeAnswer(sequence)
      files += try removeContent(sequence)
      try database.run(Self.forget, [.integer(sequence)])
    }
    // Else the next to come would have the sequence of one that is gone.
    if let newest, sequences.contains(newest) { try set(.lastSequence, to: .integer(newest)) }
    return (files, sequences.count < Self.pruneSize)
  }

  /// Gives some of the disk back that is not used any more.
  /// - Returns: Whether there is no more.
  func shrink() throws -> Bool {
    guard let free = try database.integer(Self.freePages), free > Self.keptPages else { return true }
    try database.execute("PRAGMA incremental_vacuum(\(min(free - Self.keptPages, 256)))")
    return free - Self.keptPages <= 256
  }
}
