#if Postgres
  import ErrandCore
  import ErrandOutbox

  extension StoreCore {
    func takePass(_ origin: String, _ limit: RateLimit) async throws -> RatePass {
      let bucket = RateBucket(limit)
      // A lost reply may cost a token, and is not repeated by itself.
      let answer = try await run(
        "SELECT wait, next FROM errand.take_pass($1, $2, $3, $4)",
        [time, .text(StoredName(origin).key), .integer(bucket.spacing), .integer(bucket.tolerance)])
      guard let row = answer.first else { return RatePass() }
      return RatePass(wait: .nanoseconds(row.integer(0)), next: .nanoseconds(row.integer(1)))
    }

    /// Removes buckets that are full.
    func removeFullRates() async throws {
      _ = try await run(
        "DELETE FROM errand.rates WHERE until < coalesce(($1::bigint[])[1], errand.ticks()) * 1000000",
        [time],
        isRepeatable: true)
    }
  }
#endif
