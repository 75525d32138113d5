import ErrandOutbox

/// Recovers rows whose lease has ended or whose owner is gone.
extension OutboxTables {
  private static let leaseOwners = Query(
    "SELECT DISTINCT owner FROM requests INDEXED BY leased WHERE state = 1")
  private static let claimsOfOwners = Query(
    "SELECT owner, count(*) FROM requests INDEXED BY leased WHERE state = 1 GROUP BY owner ORDER BY owner")
  private static let ended = Query(
    """
    SELECT seq, lease, counted FROM requests INDEXED BY leased
    WHERE state = 1 AND owner IS ? AND lease_end <= ? ORDER BY seq
    """)
  private static let abandoned = Query(
    """
    SELECT \(columns) FROM requests INDEXED BY leased WHERE state = 1 AND lease_end <= ?1 AND changed <= ?2
    ORDER BY changed, seq LIMIT ?3
    """)
  private static let leaseOf = Query("SELECT owner, lease FROM requests WHERE seq = ?")
  private static let recover = Query(
    """
    UPDATE requests SET state = 0, owner = NULL, lease_end = NULL, due = ?3, due_wall = ?4, delay = ?5, offline = 0,
      changed = ?2,
      reason = 'its last attempt has no known end: its process is gone, or was silent for too long'
    WHERE seq = ?1
    """)
  /// For a row whose request was not sent: the attempt does not count.
  private static let restore = Query(
    """
    UPDATE requests SET state = 0, owner = NULL, lease_end = NULL, attempts = attempts - 1, counted = counted - 1, changed = ?2
    WHERE seq = ?1
    """)

  private struct EndedLease {
    let sequence: Int64
    let number: Int64
    /// The number of counted attempts of the row, including this one.
    let counted: Int
  }

  /// Returns the owners that have claims, and how many.
  func workers() throws -> [StoreWorker] {
    let claims = try database.all(Self.claimsOfOwners) { (name: $0.text(0) ?? "", count: Int($0.integer(1))) }
    return claims.map { found in
      StoreWorker(
        name: found.name, claims: found.count,
        isAlive: found.name == owner || Self.isSession(found.name) || owners.isAlive(found.name),
        isOwn: found.name == owner)
    }
  }

  /// Returns the names of the owners that have claims.
  func claimants() throws -> Set<String> {
    Set(try database.all(Self.leaseOwners) { $0.text(0) }.compactMap { $0 })
  }

  /// Ends the leases whose time has passed, and those of owners that are gone. If the owner had begun to send
  /// the request, the row waits as after any failed attempt, because the request may have crashed its owner.
  func recover(_ bounds: ClaimBounds, at now: StoreTime) throws -> [OutboxRow] {
    var recovered: [OutboxRow] = []
    let leaseOwners = try database.all(Self.leaseOwners, [], { $0.text(0) })
    if !knowsGone {
      owners.tidy(keeping: Set(leaseOwners.compactMap { $0 }))
      knowsGone = true
    }
    for owner in leaseOwners {
      let isGone = owner.map { $0 != self.owner && !Self.isSession($0) && !owners.isAlive($0) } ?? true
      let end = isGone ? Int64.max : now.ticks
      let leases = try database.all(Self.ended, [.optional(owner), .integer(end)]) { row in
        EndedLease(
          sequence: row.integer(0), number: Self.leaseNumber(row.integer(0), row.integer(1)),
          counted: Int(row.integer(2)))
      }
      if isGone, !leases.isEmpty { knowsGone = false }
      for lease in leases {
        let wait = Duration.growing(bounds.backoff, attempt: lease.counted, most: bounds.maxBackoff)
        recovered.append(try conclude(lease, of: owner, waiting: wait, at: now))
      }
    }
    return recovered
  }

  /// Ends the lease of a row that is being attempted. The row is due now.
  func free(_ row: OutboxRow, at now: StoreTime) throws -> OutboxRow {
    let (owner, lease) =
      try database.first(Self.leaseOf, [.integer(row.sequence)]) { ($0.text(0), $0.integer(1)) } ?? (nil, 0)
    let ended = EndedLease(
      sequence: row.sequence, number: Self.leaseNumber(row.sequence, lease), counted: row.countedAttempts)
    return try conclude(ended, of: owner, waiting: .zero, at: now)
  }

  /// Returns the rows whose leases ended at least this long ago. A restart of the machine ended all older
  /// leases.
  func abandoned(for duration: Duration, limit: Int, at now: StoreTime) throws -> [OutboxRow] {
    let wait = duration.storedMilliseconds
    let isOfThisBoot = try text(.boot) == now.boot
    return try database.all(
      Self.abandoned,
      [
        .integer(isOfThisBoot ? now.ticks - wait : .max), .integer(isOfThisBoot ? .max : now.wall - wait),
        .integer(Int64(limit)),
      ], row)
  }

  private func conclude(
    _ lease: EndedLease, of owner: String?, waiting wait: Duration, at now: StoreTime
  ) throws -> OutboxRow {
    let wasBegun = owner.flatMap { owners.hasBegun(lease.number, $0) } ?? true
    let row = wasBegun ? try recover(lease, waiting: wait, at: now) : try restore(lease, at: now)
    try settle(row.lane)
    return row
  }

  private func recover(_ lease: EndedLease, waiting wait: Duration, at now: StoreTime) throws -> OutboxRow {
    let delay = wait.storedMilliseconds
    return try change(
      Self.recover,
      [
        .integer(lease.sequence), .integer(now.wall), .integer(delay > 0 ? now.ticks + delay : 0),
        .integer(delay > 0 ? now.wall + delay : 0), .integer(delay),
      ], from: .attempting)
  }

  private func restore(_ lease: EndedLease, at now: StoreTime) throws -> OutboxRow {
    try change(Self.restore, [.integer(lease.sequence), .integer(now.wall)], from: .attempting)
  }
}

extension Duration {
  /// Returns `first · 2ⁿ⁻¹` for the n-th attempt, but at most `most`.
  static func growing(_ first: Duration, attempt: Int, most: Duration) -> Duration {
    var wait = first
    for _ in 1..<min(max(1, attempt), 64) where wait < most { wait *= 2 }
    return min(wait, most)
  }
}
