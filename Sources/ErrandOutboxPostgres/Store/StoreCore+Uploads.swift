#if Postgres
  import ErrandOutbox

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension StoreCore {
    func keep(_ upload: Data, madeProgress: Bool, of lease: Lease) async throws -> Bool {
      let answer = try await run(
        "SELECT errand.keep_upload($1, $2, $3, $4)",
        [
          .integer(LeaseNumber.sequence(lease.number)), .integer(LeaseNumber.count(lease.number)),
          .bytes(upload),
          .bool(madeProgress),
        ], isRepeatable: true)
      return answer.first?.bool(0) ?? false
    }

    func uploads(of ids: [OutboxID]) async throws -> [Data?] {
      let rows = try await rows(ids)
      let answer = try await run(
        "SELECT seq, upload FROM errand.uploads WHERE seq = ANY($1)",
        [.integers(rows.compactMap { $0?.sequence })], isRepeatable: true)
      let found = Dictionary(
        answer.rows { ($0.integer(0), $0.data(1)) }, uniquingKeysWith: { first, _ in first })
      return rows.map { row in row.flatMap { found[$0.sequence] ?? nil } }
    }

    /// Removes the uploads of these requests, which were delivered.
    func removeUploads(of leases: [Lease]) async throws {
      guard !leases.isEmpty else { return }
      _ = try await run(
        "DELETE FROM errand.uploads WHERE seq = ANY($1)",
        [.integers(leases.map { LeaseNumber.sequence($0.number) })], isRepeatable: true)
    }

    /// Removes the uploads of requests that are delivered, dropped or gone.
    func removeOldUploads() async throws {
      _ = try await run(
        """
        DELETE FROM errand.uploads u WHERE NOT EXISTS (SELECT FROM errand.requests r WHERE r.seq = u.seq)
          AND NOT EXISTS (SELECT FROM errand.dead d WHERE d.seq = u.seq)
          AND NOT EXISTS (SELECT FROM errand.history h WHERE h.seq = u.seq AND h.state = 4)
        """, [], isRepeatable: true)
    }
  }
#endif
