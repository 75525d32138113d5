import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Holds of origins: no owner claims requests for a held origin until its hold ends.
extension OutboxTables {
  private static let endHolds = Query("DELETE FROM origins WHERE until <= ?")
  private static let held = Query("SELECT origin FROM origins")
  private static let nextEnd = Query("SELECT min(until) FROM origins")
  private static let nextReadyEnd = Query(
    """
    SELECT min(until_wall) FROM origins WHERE EXISTS (
      SELECT 1 FROM requests INDEXED BY by_origin WHERE turn = 1 AND requests.origin = origins.origin)
    """)
  private static let all = Query(
    "SELECT origin, label, kind, reason, until_wall FROM origins ORDER BY origin")
  /// A hold never replaces one that ends later.
  private static let hold = Query(
    """
    INSERT INTO origins VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT(origin) DO UPDATE SET label = excluded.label,
      kind = excluded.kind, reason = excluded.reason, until = excluded.until, until_wall = excluded.until_wall,
      delay = excluded.delay
    WHERE excluded.until >= until
    """)
  private static let release = Query("DELETE FROM origins WHERE origin = ?")
  private static let releaseAll = Query("DELETE FROM origins")
  private static let releaseAllBut = Query("DELETE FROM origins WHERE kind <> ?")

  /// Deletes the holds that have ended, and returns the origins that are still held.
  func heldOrigins(at now: StoreTime) throws -> Set<String> {
    // DELETE runs only if a hold has ended, because a statement that changes nothing still writes to the log.
    guard let end = try nextHoldEnd() else { return [] }
    if end <= now.ticks { try database.run(Self.endHolds, [.integer(now.ticks)]) }
    return Set(try database.all(Self.held) { $0.text(0) ?? "" })
  }

  /// Returns when the first hold ends, in ticks.
  func nextHoldEnd() throws -> Int64? { try database.integer(Self.nextEnd) }

  /// Returns when the first hold of an origin with ready rows ends, in milliseconds since 1970.
  func nextReadyHoldEnd() throws -> Int64? { try database.integer(Self.nextReadyEnd) }

  func holds() throws -> [OriginHold] {
    try database.all(Self.all) { statement in
      OriginHold(
        origin: statement.text(0) ?? "", label: statement.bytes(1) ?? Data(),
        kind: OriginHold.Kind(rawValue: Int(statement.integer(2))) ?? .trouble,
        reason: statement.text(3) ?? "", until: statement.integer(4))
    }
  }

  func apply(_ news: OriginNews, at now: StoreTime) throws {
    switch news.change {
    case .hold(let kind, let reason, let length):
      let delay = length.storedMilliseconds
      guard delay > 0 else { return try release([news.origin]) }
      try database.run(
        Self.hold,
        [
          .text(news.origin), .bytes(news.label), .integer(kind.rawValue), .text(reason),
          .integer(now.ticks + delay), .integer(now.wall + delay), .integer(delay),
        ])
    case .release: try release([news.origin])
    }
    hasNews = true
  }

  func release(_ origins: [String]?) throws {
    let changes = database.changesInAll
    if let origins {
      for origin in origins { try database.run(Self.release, [.text(origin)]) }
    } else {
      try database.run(Self.releaseAll)
    }
    if database.changesInAll > changes { hasNews = true }
  }

  /// Ends all holds except those of one kind.
  func releaseAll(but kind: OriginHold.Kind) throws {
    try database.run(Self.releaseAllBut, [.integer(kind.rawValue)])
    if database.changes > 0 { hasNews = true }
  }

  private static let move = Query(
    """
    UPDATE origins SET
      delay = max(0, min(delay, until_wall - ?2)),
      until_wall = ?2 + max(0, min(delay, until_wall - ?2)),
      until = ?1 + max(0, min(delay, until_wall - ?2))
    """)

  /// Recalculates the ends of holds after a restart of the machine, because ticks then begin at zero.
  func moveHolds(to now: StoreTime) throws {
    try database.run(Self.move, [.integer(now.ticks), .integer(now.wall)])
  }
}
