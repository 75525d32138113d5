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

  private static let readySince = Query(
    """
    SELECT min(max(created, due_wall)) FROM (
      SELECT created, due_wall FROM requests INDEXED BY by_turn WHERE turn = 1 ORDER BY priority DESC, seq LIMIT 1000)
    """)
  /// A claim makes these rows ready, but there may be no process that claims.
  private static let waitedSince = Query(
    """
    SELECT due_wall FROM requests INDEXED BY waiting WHERE state = 0 AND head = 1 AND due > 0 AND due <= ?
    ORDER BY due LIMIT 1
    """)
  private static let pausedSince = Query(
    "SELECT max(created, due_wall) FROM requests WHERE lane = ?1 AND head = 2 AND state = 0 AND due <= ?2")

  /// Returns since when the row is due that has been due longest; nil if no row is due.
  func dueSince(at now: StoreTime) throws -> Int64? {
    let ready = try database.integer(Self.readySince)
    let waited = try database.integer(Self.waitedSince, [.integer(now.ticks)])
    let paused = try lanesPaused().compactMap {
      try database.integer(Self.pausedSince, [.text($0), .integer(now.ticks)])
    }
    return ([ready, waited].compactMap { $0 } + paused).min()
  }

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

/// The number of rows and bytes of each state, stored in a table so that they need not be counted. Each
/// transaction writes the totals once, at its end.
extension OutboxTables {
  private static let change = Query(
    "UPDATE totals SET count = count + ?2, bytes = bytes + ?3 WHERE state = ?1")
  private static let usage = Query(
    """
    SELECT sum(iif(state IN (0, 1, 3), count, 0)), sum(iif(state IN (0, 1, 3), bytes, 0)),
      sum(iif(state IN (0, 1, 3), 0, bytes))
    FROM totals
    """)
  private static let all = Query("SELECT state, count, bytes FROM totals")

  func writeTotals() throws {
    for (state, change) in counters.changes.enumerated() where change != (0, 0) {
      try database.run(Self.change, [.integer(state), .integer(change.count), .integer(change.bytes)])
    }
    known.usage?.add(counters)
    counters = Counters()
  }

  /// Returns the numbers that the caps limit, including this transaction's changes.
  func usage() throws -> Usage {
    let written = try known.usage ?? writtenUsage()
    known.usage = written
    var usage = written
    usage.add(counters)
    return usage
  }

  private func writtenUsage() throws -> Usage {
    try database.first(Self.usage) {
      Usage(count: Int($0.integer(0)), bytes: $0.integer(1), overBytes: $0.integer(2))
    } ?? Usage()
  }

  /// Returns the stored totals, without the changes of the current transaction.
  func totals() throws -> [OutboxState: (count: Int, bytes: Int64)] {
    var totals: [OutboxState: (count: Int, bytes: Int64)] = [:]
    for (state, count, bytes) in try database.all(
      Self.all, [], { ($0.integer(0), $0.integer(1), $0.integer(2)) })
    {
      if let state = OutboxState(rawValue: Int(state)) { totals[state] = (Int(count), bytes) }
    }
    return totals
  }
}

/// The changes that a transaction makes to the number of rows and bytes of each state.
struct Counters {
  private(set) var changes = Array(
    repeating: (count: Int64(0), bytes: Int64(0)), count: OutboxState.allCases.count)

  mutating func add(_ state: OutboxState, bytes: Int64) { change(state, 1, bytes) }

  mutating func remove(_ state: OutboxState, bytes: Int64) { change(state, -1, -bytes) }

  private mutating func change(_ state: OutboxState, _ count: Int64, _ bytes: Int64) {
    changes[state.rawValue].count += count
    // The sizes in a damaged file may add up to an overflow.
    changes[state.rawValue].bytes &+= bytes
  }
}

/// The numbers of rows and bytes that the caps limit.
struct Usage {
  /// The number of rows that are stored, being attempted, or dead letters.
  var count = 0
  var bytes: Int64 = 0
  /// The bytes of finished rows, which are deleted if a new row needs the capacity.
  var overBytes: Int64 = 0

  mutating func add(_ counters: Counters) {
    for state in OutboxState.allCases {
      let change = counters.changes[state.rawValue]
      if state.isOpen || state == .deadLettered {
        count += Int(change.count)
        bytes += change.bytes
      } else {
        overBytes += change.bytes
      }
    }
  }
}
