#if Postgres
  #if canImport(FoundationEssentials)
    package import FoundationEssentials
  #else
    package import Foundation
  #endif

  /// A process that delivers the requests of an outbox, as other workers see it.
  package struct PostgresWorker: Sendable, Hashable, Identifiable {
    /// The number of the worker, unique within the schema.
    package let id: Int
    /// The machine's name and the process's number, or `PostgresSettings.workerName`.
    package let name: String
    /// The newest version of the schema that the worker's program knows.
    package let version: String
    /// When the worker began to deliver.
    package let started: Date
    /// The time since the worker's last sign of life.
    package let silence: Duration
    /// False if the worker was silent for so long that its requests are free for others.
    package let isAlive: Bool
    /// The number of requests that the worker is attempting.
    package let attempting: Int
    /// The number of lanes of these requests.
    package let lanes: Int
    /// When the oldest of these requests was claimed; nil if the worker is attempting none.
    package let oldestClaim: Date?
  }

  extension PostgresOutboxStore {
    /// Returns the workers that gave signs of life lately, in the order in which they began.
    /// - Throws: `OutboxError`.
    package func workers() async throws -> [PostgresWorker] {
      try core.checkOpen()
      let answer = try await core.run(
        """
        SELECT w.id::bigint, w.name, w.version, (extract(epoch FROM w.started) * 1000)::bigint,
          (extract(epoch FROM n.now - w.seen) * 1000)::bigint, w.seen + w.lasting >= n.now, count(q.seq), count(DISTINCT q.lane), min(q.changed)
        FROM errand.workers w
          CROSS JOIN (SELECT errand.instant(errand.pulse($1)) AS now) n LEFT JOIN errand.requests q ON q.state = 1 AND q.owner = w.id
        GROUP BY w.id, n.now ORDER BY w.started, w.id
        """, [core.time], isRepeatable: true)
      return answer.rows { row in
        PostgresWorker(
          id: Int(row.integer(0)), name: StoredName.name(row.text(1) ?? "", long: nil),
          version: row.text(2) ?? "",
          started: Date(timeIntervalSince1970: Double(row.integer(3)) / 1000),
          silence: .milliseconds(max(0, row.integer(4))), isAlive: row.bool(5),
          attempting: Int(row.integer(6)),
          lanes: Int(row.integer(7)),
          oldestClaim: row.optionalInteger(8).map { Date(timeIntervalSince1970: Double($0) / 1000) })
      }
    }
  }
#endif
