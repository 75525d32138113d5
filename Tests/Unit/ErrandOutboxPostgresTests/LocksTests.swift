#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import Testing

  /// A role that may only call `enqueue` cannot hold the locks that workers wait for.
  @Suite(.timeLimit(.minutes(1))) struct LocksTests {
    /// The advisory locks that earlier versions took.
    private static let advisoryLocks = [
      "pg_advisory_lock(hashtext('errand'), hashtext('errand.migration'))",
      "pg_advisory_lock(hashtext('errand.history'), hashtext('errand.history'))",
      "pg_advisory_lock(hashtext('errand.days'), hashtext('errand.days'))",
      "pg_advisory_lock(hashtext('errand.arrivals'), hashtext('errand.arrivals'))",
      "pg_advisory_lock(hashtext('errand.fold'), hashtext('errand.fold'))",
      "pg_advisory_lock(hashtext('errand.caps'), slot) FROM generate_series(0, 15) slot",
    ]

    @Test func `a role that may only enqueue cannot stop a fleet`() async throws {
      let (cluster, server) = (try await PostgresCluster.shared(), try MockServer.accepting())
      let fleet = try await Fleet(cluster, database: try await cluster.makeDatabase())
      try await fleet.migrate()
      let role = "low_\(fleet.schema)"
      try await fleet.psql("CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(fleet.schema) TO \(role)")
      for statement in [
        "LOCK TABLE errand.history_lock IN ROW EXCLUSIVE MODE",
        "LOCK TABLE errand.history_lock IN ACCESS SHARE MODE",
        "LOCK TABLE errand.migrations IN ACCESS SHARE MODE", "SELECT * FROM errand.locks FOR UPDATE",
        "SELECT * FROM errand.locks FOR KEY SHARE", "SELECT errand.lock('fold', true)",
        "SELECT errand.lock_history()", "SELECT errand.share_history()",
      ] {
        let error = await #expect(throws: (any Error).self) {
          try await fleet.psql("BEGIN; \(statement)", user: role)
        }
        #expect("\(String(describing: error))".contains("permission denied"), "\(statement)")
      }
      #expect(
        try await fleet.psql(
          """
          SELECT count(*) FROM pg_proc
          WHERE pronamespace::regnamespace::text = '\(fleet.schema)' AND prosrc LIKE '%advisory%'
          """) == "0")

      let locks = Self.advisoryLocks.map { "SELECT \($0);" }.joined(separator: " ")
      let holder = Task { try await fleet.psql("\(locks) SELECT pg_sleep(40) -- the low role", user: role) }
      try await fleet.waitForActivity("wait_event = 'PgSleep' AND query LIKE '%the low role%'", count: 1)
      // Another schema is created, too.
      let other = try await Fleet(cluster, database: fleet.database)
      try await other.migrate()
      let outbox = try await fleet.outbox { $0.caps.count = 10 }
      try await outbox.enqueue((0..<8).map { Request.post(server.url("/\($0)"), .text("a")) }, lane: "l")
      try await outbox.waitUntilEmpty()
      _ = try await fleet.psql("SELECT count(*) FROM errand.forget(1, errand.wall())")
      #expect(server.requests.count == 8)
      await outbox.close()
      try await fleet.endActivity("query LIKE '%the low role%'")
      _ = await holder.result
      try await fleet.psql("DROP OWNED BY \(role); DROP ROLE \(role)")
    }
  }
#endif
