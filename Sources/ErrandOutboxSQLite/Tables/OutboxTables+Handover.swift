import ErrandCore
import ErrandOutbox

/// Rows that a background session of the system has. The session is their owner. Its name begins with a
/// prefix that the name of a process never has.
extension OutboxTables {
  private static let prefix = "session:"

  private static let early = Query(
    """
    SELECT \(readyColumns), due FROM requests INDEXED BY waiting
    WHERE state = 0 AND head = 1 AND due > 0 AND due <= ?2 AND (expires IS NULL OR expires > due) ORDER BY due LIMIT ?3
    """)
  private static let hand = Query("UPDATE requests SET owner = ?2, lease_end = ?3 WHERE seq = ?1")
  private static let handed = Query(
    "SELECT seq, id, lease FROM requests INDEXED BY leased WHERE state = 1 AND owner = ? ORDER BY seq")
  private static let moveHanded = Query(
    "UPDATE requests SET lease_end = ? WHERE state = 1 AND owner GLOB '\(prefix)*'")

  /// True if the owner of a row is a session. A session never counts as gone: only its leases end.
  static func isSession(_ owner: String) -> Bool { owner.hasPrefix(prefix) }

  // MARK: Claiming

  /// Chooses the rows that are due, and then those that become due within the horizon, without the lanes to
  /// skip.
  func chooseAll(
    _ bounds: ClaimBounds, held: Set<String>, at now: StoreTime
  ) throws -> (rows: [ReadyRow], isMore: Bool) {
    guard bounds.horizon > .zero || !bounds.passedLanes.isEmpty else {
      return try choose(bounds, held: held, at: now)
    }
    var wide = bounds
    // At most one row of a lane may be claimed.
    wide.limit = bounds.limit + bounds.passedLanes.count
    var (rows, isMore) = try choose(wide, held: held, at: now)
    if !isMore {
      let end = now.ticks + bounds.horizon.storedMilliseconds
      let early = try database.all(
        Self.early, [.integer(now.ticks), .integer(end), .integer(wide.limit - rows.count + 1)],
        { statement in
          var row = try ready(statement)
          row.wait = max(0, statement.integer(Self.columnCount + 5) - now.ticks)
          return row
        })
      rows += early
    }
    rows.removeAll { row in row.row.lane.map { bounds.passedLanes.contains(ExactBytes($0)) } ?? false }
    return (Array(rows.prefix(bounds.limit)), isMore || rows.count > bounds.limit)
  }

  // MARK: Handing over

  /// Makes a session the owner of these rows.
  /// - Returns: The leases that were lost.
  func hand(_ leases: [Lease], to session: String, at now: StoreTime) throws -> [Lease] {
    try adopt(now)
    let end = now.ticks + SessionLease.length.storedMilliseconds
    return try leases.filter { lease in
      claimed[lease.number] = nil
      guard try isLeased(lease) else { return true }
      try database.run(
        Self.hand,
        [.integer(Self.sequence(ofLease: lease.number)), .text(Self.prefix + session), .integer(end)])
      return false
    }
  }

  func handed(to session: String) throws -> [Lease] {
    try database.all(Self.handed, [.text(Self.prefix + session)]) { statement in
      Lease(
        id: OutboxID(rawValue: statement.text(1) ?? ""),
        number: Self.leaseNumber(statement.integer(0), statement.integer(2)))
    }
  }

  /// Restarts the leases of sessions after a restart of the machine, because their tasks outlive the restart.
  func moveHanded(to now: StoreTime) throws {
    try database.run(Self.moveHanded, [.integer(now.ticks + SessionLease.length.storedMilliseconds)])
  }
}
