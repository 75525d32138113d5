#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import Testing

  @testable import ErrandOutboxPostgres

  /// An outbox behaves the same whatever settings a database or a role has, and whatever objects others have
  /// created in it.
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
        "SELECT errand.enqueue('POST', '\(server.url("/sql"))', body => 'a\\\\b', lane => 'l', expires => '1 day')"
      )
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
      "IntervalStyle = sql_standard", "plpgsql.extra_errors = 'all'", "statement_timeout = '20s'",
      "lock_timeout = '20s'", "idle_in_transaction_session_timeout = '20s'", "idle_session_timeout = '20s'",
      "extra_float_digits = -15", "lc_messages = 'C'", "client_min_messages = debug1", "row_security = off",
    ])
    func `an outbox delivers with any settings of its database`(_ setting: String) async throws {
      try await deliver(settings: [setting])
    }

    /// A statement of the store already has a deadline, and is sent again if it is safe.
    @Test func `a role's time limits do not end the store's statements`() async throws {
      let cluster = try await PostgresCluster.shared()
      let database = try await cluster.makeDatabase()
      let limits = [
        "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "idle_session_timeout",
      ]
      for limit in limits { try await cluster.psql("ALTER DATABASE \(database) SET \(limit) = '20s'") }
      let fleet = try await Fleet(cluster, database: database)
      let store = try await fleet.store()
      for limit in limits {
        let answer = try await store.core.run("SELECT current_setting('\(limit)')", [])
        #expect(answer.first?.text(0) == "0", "\(limit)")
      }
      await store.close()
    }

    @Test func `a server without a free connection is waited for, and then reported as busy`() async throws {
      let cluster = try await PostgresCluster(options: [
        "max_connections = 4", "superuser_reserved_connections = 0", "max_wal_senders = 0",
      ])
      let fleet = try await Fleet(cluster)
      try await fleet.migrate()
      let holders = try (0..<4).map { _ in
        try PostgresLink(PostgresURL(cluster.url()), connections: 1, deadline: .seconds(20))
      }
      for holder in holders { _ = try await holder.run(PostgresQuery("SELECT 1")) }
      let error = await #expect(throws: OutboxError.self) {
        try await fleet.store { ($0.connections, $0.listens, $0.deadline) = (1, false, .seconds(1)) }
      }
      #expect(
        error?.code == .busy && error?.message.contains("max_connections") == true,
        "\(String(describing: error))")
      async let waited = fleet.store { ($0.connections, $0.listens) = (1, false) }
      for holder in holders {
        await withCheckedContinuation { continuation in holder.close { continuation.resume() } }
      }
      await (try waited).close()
      try await cluster.stop(.immediate)
    }

    @Test(arguments: ["SERIALIZABLE", "REPEATABLE READ"])
    func `concurrent transactions that enqueue do not make each other fail`(_ level: String) async throws {
      let fleet = try await Fleet(database: try await PostgresCluster.shared().makeDatabase())
      try await fleet.migrate()
      try await fleet.psql(
        "CREATE TABLE errand.gate(); SELECT errand.enqueue('GET', 'https://a.test/', lane => 'l')")
      let holder = Task {
        try await fleet.psql("BEGIN; LOCK TABLE errand.gate; SELECT pg_sleep(40) -- the gate")
      }
      try await fleet.waitForActivity("wait_event = 'PgSleep' AND query LIKE '%the gate%'", count: 1)
      let kinds = [
        "lane => 'l'", "lane => 'l'", "lane => 'm'", "key => 'k'", "body => repeat('a', 100000)",
        "lane => 'l', body => repeat('b', 100000)",
      ]
      let writers = kinds.map { kind in
        Task {
          try await fleet.psql(
            """
            BEGIN ISOLATION LEVEL \(level); SELECT errand.enqueue('POST', 'https://a.test/', \(kind));
            SELECT errand.enqueue('POST', 'https://a.test/', \(kind)) -- 2
            ; LOCK TABLE errand.gate IN SHARE MODE; COMMIT
            """)
        }
      }
      try await fleet.waitForActivity(
        "wait_event_type = 'Lock' AND query LIKE '%LOCK TABLE%SHARE%'", count: kinds.count)
      try await fleet.endActivity("query LIKE '%the gate%'")
      _ = await holder.result
      for writer in writers { _ = try await writer.value }
      #expect(try await fleet.psql("SELECT count(*) FROM errand.requests") == "\(2 * kinds.count + 1)")
      #expect(try await fleet.psql("SELECT count(*) FROM errand.files") == "4")
    }

    @Test func `functions and operators of other schemas are not called`() async throws {
      // They match better than PostgreSQL's own, which are for other types of numbers and texts.
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

    @Test func `a credential is recognized even if lower case differs from English`() async throws {
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

    private func fleetWithoutDurability() async throws -> Fleet {
      let cluster = try await PostgresCluster.shared()
      let database = try await cluster.makeDatabase()
      try await cluster.psql("ALTER DATABASE \(database) SET synchronous_commit = off")
      return try await Fleet(cluster, database: database)
    }

    @Test func `stored requests are on the disk, whatever the database's settings`() async throws {
      let fleet = try await fleetWithoutDurability()
      try await fleet.migrate()
      let setting = try await fleet.psql(
        """
        BEGIN; SELECT errand.enqueue('GET', 'https://example.com/', id => 'a');
        SELECT current_setting('synchronous_commit'); COMMIT
        """)
      #expect(setting.hasSuffix("on"))
    }

    /// The changes of a store's method are on the disk when it returns.
    @Test(arguments: [
      "claim(NULL, 1, 10, '{}', '{}', 10, 10, NULL, 0, 0, 1000)", "retry(NULL, 1, '{1}')",
      "finish(NULL, 1, false, '{1}', '{1}', '{0}', '{NULL}', '{0}', '{0}', '{0}', '{NULL}', NULL)",
      "drop_these(NULL, 1, '{1}', 'why')", "reschedule(1, 1)", "release(1, NULL)",
      "pause(1, true, NULL, NULL)",
      "hear(NULL, 1, '{a}', '{a}', '{0}', '{a}', '{1}')", "give_back(1, '{}')", "forget(1, 1)",
      "enqueue_many('[{\"method\": \"GET\", \"url\": \"https://example.com/\"}]')",
    ])
    func `a function's changes are on the disk, whatever a role's settings`(_ call: String) async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      let setting = try await fleet.psql(
        """
        SELECT errand.enqueue('GET', 'https://example.com/'); SET synchronous_commit = off;
        BEGIN; SELECT count(*) FROM errand.\(call); SELECT current_setting('synchronous_commit'); COMMIT
        """)
      #expect(setting.hasSuffix("on"))
    }

    @Test func `a large body is on the disk before its request, whatever a database's settings`() async throws
    {
      let fleet = try await fleetWithoutDurability()
      let outbox = try await fleet.outbox(try await fleet.store())
      try await fleet.psql(
        """
        CREATE TABLE public.settings(name text, setting text);
        GRANT INSERT ON public.settings TO PUBLIC;
        CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO public.settings VALUES (TG_TABLE_NAME, current_setting('synchronous_commit'));
          RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER note AFTER INSERT ON errand.blobs DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION public.note();
        CREATE CONSTRAINT TRIGGER note AFTER INSERT ON errand.requests DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION public.note();
        """)
      try await outbox.enqueue(.post("https://example.com/", .bytes(Data(count: 70_000))))
      let settings = try await fleet.psql("SELECT name, setting FROM public.settings")
      #expect(settings == "blobs|on\nrequests|on")
      await outbox.close()
    }

    @Test func `a request is not stored without its body`() async throws {
      let fleet = try await Fleet()
      let outbox = try await fleet.outbox(try await fleet.store())
      try await fleet.psql(
        """
        CREATE FUNCTION public.lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
        CREATE TRIGGER lose BEFORE INSERT ON errand.blobs FOR EACH ROW EXECUTE FUNCTION public.lose();
        """)
      let error = await #expect(throws: OutboxError.self) {
        try await outbox.enqueue(.post("https://example.com/", .bytes(Data(count: 70_000))))
      }
      #expect("\(try #require(error))".contains("enqueue the request again"))
      #expect(try await fleet.psql("SELECT count(*) FROM errand.requests") == "0")
      await outbox.close()
    }

    @Test(arguments: ["order", "user", "table", "select"])
    func `a schema may have a reserved word of SQL as its name`(_ name: String) async throws {
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
    func `a transaction above READ COMMITTED cannot enqueue a request with an id`(_ level: String)
      async throws
    {
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
