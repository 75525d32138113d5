import ErrandCore
import ErrandOutbox

/// The token buckets of rate limits, by origin.
extension OutboxTables {
  private static let full = Query("SELECT full FROM rates WHERE origin = ?")
  private static let setFull = Query("INSERT OR REPLACE INTO rates VALUES (?, ?)")
  private static let hasRates = Query("SELECT EXISTS (SELECT 1 FROM rates WHERE full < ?)")
  private static let removeRates = Query("DELETE FROM rates WHERE full < ?")

  func takePass(_ origin: String, _ limit: RateLimit, at now: StoreTime) throws -> RatePass {
    let known = try database.integer(Self.full, [.text(origin)])
    let (pass, full) = RateBucket(limit).take(full: known, at: now.ticks)
    if full != known { try database.run(Self.setFull, [.text(origin), .integer(full)]) }
    return pass
  }

  /// Removes buckets that are full.
  func removeFullRates(at now: StoreTime) throws {
    let time = SQLValue.integer(now.ticks * 1_000_000)
    if try database.integer(Self.hasRates, [time]) == 1 { try database.run(Self.removeRates, [time]) }
  }
}
