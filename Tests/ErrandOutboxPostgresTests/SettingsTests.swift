#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import Testing

  /// An outbox does the same whatever a database or a role sets, and whatever others have put into it.
  @Suite(.timeLimit(.minutes(1))) struct SettingsTests {
    /// Delivers a few requests in a database with such settings, and returns the place of the outbox.
    private func deliver(settings: [String], before: String = "") async throws {
      let (cluster, server) = (try await PostgresCluster.shared(), try MockServer.accepting())
      let database = try await cluster.makeDatabase()
      for setting in settings { try await cluster.psql("ALTER DATABASE \(database) SET \(setting)") }
      if !before.isEmpty { try await cluster.psql(before, database: database) }
      let fleet = try await Fleet(cluster, database: database)
      let outboxes = [try await fleet.outbox(), try await fleet.outbox()]
      try await fleet.psql(
        "SELECT errand.enqueue('POST', '\(server.url("/sql"))', body => 'a\\\\b', lane => 'l')")
      for (index, outbox) in outboxes.enumerated() {
        try await outbox.enqueue(
          (0..<10).map { Request.post(server.url("/\(index)/\($0)"), .text("a")) }, lane: "l\(index)")
      }
      for outbox in outboxes { try await outbox.waitUntilEmpty() }
      #expect(server.requests.count == 21 && Set(server.requests.map(\.path)).count == 21)
      for outbox in outboxes { await outbox.close() }
    }

    @Test(arguments: [
      "default_transaction_isolation = 'serializable'", "default_transaction_isolation = 'repeatable read'",
      "standard_conforming_strings = off", "search_path = public, pg_catalog",
      "plpgsql.variable_conflict = use_variable", "bytea_output = escape", "DateStyle = 'SQL, DMY'",
      "TimeZone = 'Pacific/Kiritimati'", "quote_all_identifiers = on", "enable_indexscan = off",
    ])
    func `an outbox delivers whatever its database sets`(_ setting: String) async throws {
      try await deliver(settings: [setting])
    }

    @Test func `functions and operators of others are not called`() async throws {
      // They fit better than PostgreSQL's own, which are for other types of numbers and texts.
      try await deliver(
        settings: ["search_path = public, pg_catalog"],
        before: """
          CREATE FUNCTION public.trap(numeric, integer) RETURNS numeric LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
          CREATE OPERATOR public.* (LEFTARG = numeric, RIGHTARG = integer, FUNCTION = public.trap);
          CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
          CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
          CREATE FUNCTION public.hashtext(text) RETURNS integer LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
          """)
    }

    @Test func `a credential is noticed where small letters are others than in English`() async throws {
      let cluster = try await PostgresCluster.shared()
      let database = try await cluster.makeDatabase(
        "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C.UTF-8'")
      let fleet = try await Fleet(cluster, database: database)
      try await fleet.migrate()
      for arguments in [
        "headers => '{\"AUTHORIZATION\": \"s3cret\"}'", "headers => '{\"X-API-KEY\": \"s3cret\"}'",
        "headers => '{\"CONTENT-LENGTH\": \"3\"}'",
      ] {
        let error = await #expect(throws: (any Error).self) {
          try await fleet.psql("SELECT errand.enqueue('GET', 'https://example.com/', \(arguments))")
        }
        #expect("\(String(describing: error))".contains("the request cannot be stored: "), "\(arguments)")
      }
      await #expect(throws: (any Error).self) {
        try await fleet.psql(
          "SELECT errand.enqueue('GET', 'https://example.com/?API_KEY=s3cret&CLIENT_SECRET=a')")
      }
      #expect(try await fleet.psql("SELECT count(*) FROM errand.requests") == "0")
    }

    @Test func `what is stored is on the disk, whatever the database sets`() async throws {
      let cluster = try await PostgresCluster.shared()
      let database = try await cluster.makeDatabase()
      try await cluster.psql("ALTER DATABASE \(database) SET synchronous_commit = off")
      let fleet = try await Fleet(cluster, database: database)
      try await fleet.migrate()
      let setting = try await fleet.psql(
        """
        BEGIN; SELECT errand.enqueue('GET', 'https://example.com/', id => 'a');
        SELECT current_setting('synchronous_commit'); COMMIT
        """)
      #expect(setting.hasSuffix("on"))
    }

    @Test(arguments: ["order", "user", "table", "select"])
    func `a schema may be named as a word of SQL's own`(_ name: String) async throws {
      let (cluster, server) = (try await PostgresCluster.shared(), try MockServer.accepting())
      let database = try await cluster.makeDatabase()
      let fleet = try await Fleet(cluster, database: database)
      let store = try await fleet.store { $0.schema = name }
      let outbox = try await fleet.outbox(store)
      try await cluster.psql("SELECT \"\(name)\".enqueue('GET', '\(server.url("/"))')", database: database)
      try await outbox.enqueue(Request.get(server.url("/")))
      try await outbox.waitUntilEmpty()
      #expect(server.requests.count == 2)
      await outbox.close()
    }

    @Test(arguments: ["REPEATABLE READ", "SERIALIZABLE"])
    func `a transaction that does not see what was delivered enqueues no id`(_ level: String) async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      let begin = "BEGIN ISOLATION LEVEL \(level);"
      let error = await #expect(throws: (any Error).self) {
        try await fleet.psql(
          "\(begin) SELECT errand.enqueue('GET', 'https://example.com/', id => 'a'); COMMIT")
      }
      #expect("\(String(describing: error))".contains("READ COMMITTED"))
      try await fleet.psql(
        "\(begin) SELECT errand.enqueue('GET', 'https://example.com/', key => 'a'); COMMIT")
      #expect(try await fleet.psql("SELECT count(*) FROM errand.requests") == "1")
    }
  }
#endif
