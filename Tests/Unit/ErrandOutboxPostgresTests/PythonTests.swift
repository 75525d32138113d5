#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import Programs
  import Testing

  /// Python with psycopg, as `scripts/peers` installs it. `ERRAND_PYTHON` names it; without it, the system's.
  private enum Python {
    static func run(_ program: String, _ arguments: [String] = []) async throws -> String {
      let path = ProcessInfo.processInfo.environment["ERRAND_PYTHON"] ?? "python3"
      let output = try await Program.output(of: "env", [path, "-c", program] + arguments)
      return String(decoding: output, as: UTF8.self)
    }

    static func hasPsycopg() async -> Bool { (try? await run("import psycopg")) != nil }
  }

  @Suite struct PythonTests {
    /// The same program is in `Examples`.
    private static let program = """
      import json, sys
      import psycopg

      with psycopg.connect(sys.argv[1]) as connection:
          connection.execute("CREATE TABLE orders(id int PRIMARY KEY, total numeric)")
          # One transaction: the order is there with its message, or neither is.
          with connection.transaction():
              connection.execute("INSERT INTO orders VALUES (42, 9.90)")
              (name,) = connection.execute(
                  "SELECT SCHEMA.enqueue(method => 'POST', url => %(url)s, headers => %(headers)s,"
                  " body => %(body)s::bytea, lane => %(lane)s, key => %(key)s)",
                  {
                      "url": sys.argv[2], "headers": json.dumps({"Content-Type": "application/json"}),
                      "body": json.dumps({"order": 42, "note": "größe"}, ensure_ascii=False).encode(),
                      "lane": "customer/7", "key": "order-42",
                  }).fetchone()
          print(name)
          try:
              with connection.transaction():
                  connection.execute("SELECT SCHEMA.enqueue('POST', %s)", (sys.argv[2],))
                  raise RuntimeError
          except RuntimeError:
              pass
          try:
              with connection.transaction():
                  connection.execute("SELECT SCHEMA.enqueue('GET', 'https://user:pass@example.com/')")
          except psycopg.errors.InvalidParameterValue as error:
              print(error.diag.message_primary.split(":")[0])
      """

    @Test(
      "a Python program enqueues in its own transaction",
      .enabled(
        "SKIPPED: psycopg is not installed (pip install psycopg[binary]; ERRAND_PYTHON names the interpreter)"
      ) {
        await Python.hasPsycopg()
      })
    func python() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      try await fleet.migrate()
      let database = try await fleet.cluster.makeDatabase()
      let url = fleet.cluster.url(database: database)
      let store = try await PostgresOutboxStore(url, settings: fleet.settings)
      let program = Self.program.replacingOccurrences(of: "SCHEMA", with: fleet.schema)
      let said = try await Python.run(program, [url, server.url("/orders").absoluteString])
      let lines = said.split(separator: "\n").map(String.init)
      #expect(lines.last == "the request cannot be stored")
      let outbox = try await fleet.outbox(store)
      try await outbox.waitUntilEmpty()
      #expect(server.requests.count == 1)
      let request = try #require(server.requests.first)
      #expect(request.text == #"{"order": 42, "note": "größe"}"#)
      #expect(request.fields["Idempotency-Key"] == "\"order-42\"")
      #expect(try await outbox.status(of: OutboxID(rawValue: lines[0]))?.state == .delivered)
      await outbox.close()
    }

    @Test func `psql enqueues in its own transaction`() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      try await fleet.migrate()
      let id = try await fleet.psql(
        """
        BEGIN;
        SELECT errand.enqueue(method => 'POST', url => '\(server.url("/orders"))',
          headers => jsonb_build_object('Content-Type', 'application/json'), body => '{"order": 42}',
          lane => 'customer/7');
        COMMIT;
        """)
      let outbox = try await fleet.outbox()
      try await outbox.waitUntilEmpty()
      #expect(server.requests.map(\.text) == [#"{"order": 42}"#])
      let entry = try await outbox.status(of: OutboxID(rawValue: id))
      #expect(entry?.state == .delivered, "\(id): \(String(describing: entry))")
      await outbox.close()
    }
  }
#endif
