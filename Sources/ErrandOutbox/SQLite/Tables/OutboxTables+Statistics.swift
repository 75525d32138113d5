extension OutboxTables {
  private static let totals = Query("SELECT state, count, bytes FROM totals")
  private static let created = Query("SELECT created FROM requests WHERE seq = ?")
  private static let oldestOpen = Query(
    "SELECT seq FROM requests WHERE +state IN (0, 1) ORDER BY seq LIMIT 1")
  private static let isReady = Query(
    "SELECT 1 FROM requests INDEXED BY by_turn WHERE state = 0 AND ready = 1 LIMIT 1")
  private static let nextDue = Query(
    """
    SELECT due_wall FROM requests INDEXED BY waiting WHERE state = 0 AND head = 1 AND due > 0
    ORDER BY due LIMIT 1
    """)

  /// Does not look at each row, however many there are.
  func statistics() throws -> OutboxStatistics {
    var statistics = OutboxStatistics()
    for (state, count, bytes) in try database.all(
      Self.totals, [], { (OutboxState(rawValue: Int($0.integer(0))), Int($0.integer(1)), $0.integer(2)) })
    {
      guard let state, count > 0 else { continue }
      statistics.counts[state] = count
      if state.isOpen || state == .setAside { statistics.bytes += bytes }
    }
    if let oldest = try oldestThatIsOpen() {
      statistics.oldest = try database.integer(Self.created, [.integer(oldest)])
    }
    statistics.isPaused = try isEverythingPaused()
    statistics.pausedLanes = try lanesPaused()
    if try !statistics.isPaused && !database.exists(Self.isReady) {
      statistics.nextDue = try database.integer(Self.nextDue)
    }
    return statistics
  }

  private func oldestThatIsOpen() throws -> Int64? {
    var oldest: [Int64] = []
    for state in [OutboxState.stored, .trying] {
      guard let groups = try groups(of: state) else { return try database.integer(Self.oldestOpen) }
      oldest += try groups.compactMap { try self.oldest(of: $0) }
    }
    return oldest.min()
  }
}
