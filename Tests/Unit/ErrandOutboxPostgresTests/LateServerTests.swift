#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import Programs
  import TestSupport
  import Testing

  /// Servers that are silent, or that stop in the middle of a statement.
  @Suite(.timeLimit(.minutes(1))) struct LateServerTests {
    /// Runs work while another session has locked the table of the requests.
    private func whileLocked(_ fleet: Fleet, _ work: () async throws -> Void) async throws {
      let holder = Task {
        try await fleet.psql(
          "BEGIN; LOCK TABLE errand.requests; SELECT pg_sleep(40) -- the holder of the table")
      }
      let holding = "wait_event = 'PgSleep' AND query LIKE '%the holder of the table%'"
      try await fleet.waitForActivity(holding, count: 1)
      do { try await work() } catch {
        try? await fleet.endActivity(holding)
        _ = await holder.result
        throw error
      }
      try? await fleet.endActivity(holding)
      _ = await holder.result
    }

    private let adding = "query LIKE '%.add(%' AND query NOT LIKE '%pg_stat_activity%' AND state = 'active'"

    @Test func `a statement that is given up also ends at the server`() async throws {
      let fleet = try await Fleet(database: try await PostgresCluster.shared().makeDatabase())
      let outbox = try await fleet.outbox(fleet.store { $0.deadline = .seconds(1) }) { $0.delivers = false }
      try await fleet.psql(
        """
        CREATE FUNCTION errand.wait_long() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(40); RETURN NEW; END $$;
        CREATE TRIGGER late BEFORE INSERT ON errand.requests FOR EACH ROW EXECUTE FUNCTION errand.wait_long();
        """)
      let error = await #expect(throws: OutboxError.self) {
        try await outbox.enqueue(Request.get("https://example.com/"))
      }
      #expect(error?.code == .unconfirmed, "\(String(describing: error))")
      try await fleet.waitForActivity(adding, count: 0)
      await outbox.close()
    }

    @Test func `a request that may have been stored is not reported as failed`() async throws {
      let cluster = try await PostgresCluster()
      let fleet = try await Fleet(cluster)
      let outbox = try await fleet.outbox(fleet.store { $0.deadline = .seconds(3) }) { $0.delivers = false }
      try await whileLocked(fleet) {
        async let enqueued = outbox.enqueue(Request.get("https://example.com/"))
        try await fleet.waitForActivity(adding, count: 1)
        try await cluster.stop(.immediate)
        do {
          _ = try await enqueued
          Issue.record("a server that had ended stored it")
        } catch let error as OutboxError {
          #expect(error.code == .unconfirmed && error.message.contains("unknown whether"), "\(error)")
        }
      }
      await outbox.close()
    }

    @Test func `a store without a deadline can be closed while its server is unavailable`() async throws {
      let cluster = try await PostgresCluster()
      let fleet = try await Fleet(cluster)
      let outbox = try await fleet.outbox(fleet.store { $0.deadline = nil })
      try await outbox.enqueue(Request.get("http://127.0.0.1:9/"))
      try await cluster.stop(.immediate)
      let waiting = Task { try await outbox.enqueue(Request.get("https://example.com/")) }
      await outbox.close()
      await #expect(throws: OutboxError.self) { try await waiting.value }
    }

    @Test func `a silent host does not prevent a connection to the next one`() async throws {
      let (cluster, server) = (try await PostgresCluster.shared(), try MockServer.accepting())
      let fleet = try await Fleet(cluster)
      let silent = try SilentListener()
      let url =
        "postgres://postgres@127.0.0.1:\(silent.port),127.0.0.1:\(cluster.port)/postgres?connect_timeout=1"
      let outbox = try await fleet.outbox(PostgresOutboxStore(url, settings: fleet.settings))
      try await outbox.enqueue(Request.get(server.url("/")))
      try await outbox.waitUntilEmpty()
      await outbox.close()
    }

    @Test func `a missing password is reported at once`() async throws {
      let fleet = try await Fleet()
      try await fleet.psql("CREATE ROLE with_password_\(fleet.schema) LOGIN PASSWORD 'right'")
      let folder = try await fleet.cluster.run("psql", ["-XAtq", fleet.cluster.url(), "-c", "SHOW hba_file"])
      try await fleet.cluster.shell(
        "sed -i '1i host all with_password_\(fleet.schema) 127.0.0.1/32 scram-sha-256' '\(folder.trimmingCharacters(in: .newlines))'"
      )
      try await fleet.psql("SELECT pg_reload_conf()")
      var settings = fleet.settings
      settings.deadline = nil
      let url = fleet.cluster.url(user: "with_password_\(fleet.schema)")
      let error = await #expect(throws: OutboxError.self) {
        try await PostgresOutboxStore(url, settings: settings)
      }
      #expect(
        error?.code == .notWritable && error?.message.contains("PGPASSFILE") == true,
        "\(String(describing: error))")
      try await fleet.psql("DROP ROLE with_password_\(fleet.schema)")
    }
  }

  extension Fleet {
    /// Waits until `count` sessions of this database meet a condition.
    func waitForActivity(_ condition: String, count: Int) async throws {
      let query =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)' AND \(condition) AND pid <> pg_backend_pid()"
      let end = ContinuousClock.now + .seconds(20)
      try await waitUntil {
        if ContinuousClock.now > end {
          throw Program.Failure(description: "there are not \(count) sessions with \(condition)")
        }
        return try await psql(query) == "\(count)"
      }
    }

    func endActivity(_ condition: String) async throws {
      try await psql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)' AND \(condition) AND pid <> pg_backend_pid()"
      )
    }
  }
#endif
