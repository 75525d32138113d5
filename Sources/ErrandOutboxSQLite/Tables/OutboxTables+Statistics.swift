import ErrandOutbox

extension OutboxTables {
  private static let created = Query("SELECT created FROM requests WHERE seq = ?")
  private static let oldestOpen = Query(
    "SELECT seq FROM requests WHERE +state IN (0, 1) ORDER BY seq LIMIT 1")
  private static let oldestAttempted = Query(
    "SELECT min(seq) FROM requests INDEXED BY leased WHERE state = 1")
  private static let nextDue = Query(
    """
    SELECT due_wall FROM requests INDEXED BY waiting WHERE state = 0 AND head = 1 AND due > 0
    ORDER BY due LIMIT 1
    """)

  /// Returns the statistics of the outbox, without reading every row.
  func statistics() throws -> OutboxStatistics {
    var statistics = OutboxStatistics()
    for (state, total) in try totals() where total.count > 0 {
      statistics.counts[state] = total.count
      if state.isOpen || state == .deadLettered { statistics.bytes += total.bytes }
      statistics.bytesInAll += total.bytes
    }
    if let oldest = try oldestThatIsOpen() {
      statistics.oldest = try database.integer(Self.created, [.integer(oldest)])
    }
    statistics.isPaused = try isEverythingPaused()
    statistics.pausedLanes = try lanesPaused()
    statistics.heldOrigins = try holds()
    let isReady =
      try !statistics.isPaused && isAnyReady(besides: Set(statistics.heldOrigins.map(\.origin)))
    if !statistics.isPaused, !isReady {
      statistics.nextDue = [try database.integer(Self.nextDue), try nextReadyHoldEnd()].compactMap { $0 }
        .min()
    }
    statistics.isHeld =
      statistics.counts[.stored, default: 0] > 0 && statistics.counts[.attempting, default: 0] == 0
      && !isReady
      && statistics.nextDue == nil
    return statistics
  }

  private func oldestThatIsOpen() throws -> Int64? {
    guard let groups = try groups(of: [.stored]) else { return try database.integer(Self.oldestOpen) }
    let stored = try groups.compactMap { try oldest(of: $0) }.min()
    return [stored, try database.integer(Self.oldestAttempted)].compactMap { $0 }.min()
  }
}
