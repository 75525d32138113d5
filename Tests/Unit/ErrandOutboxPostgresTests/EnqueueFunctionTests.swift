#if Postgres
  import ErrandCore
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import TestSupport
  import Testing

  @testable import ErrandOutbox
  @testable import ErrandOutboxPostgres

  @Suite struct EnqueueFunctionTests {
    @Test func `a worker sends a request that SQL enqueued, with all its properties`() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      try await fleet.migrate()
      let id = try await fleet.psql(
        """
        BEGIN;
        SELECT errand.enqueue(method => 'PUT', url => '\(server.url("/orders/42?a=1%20b"))',
          headers => '{"X-One": 1, "X-Many": ["a", "b"], "Content-Type": "text/special"}',
          body => 'größe', lane => 'customer/42', key => 'k"1\\', priority => 'utility', expires => '1 hour');
        COMMIT;
        """)
      let outbox = try await fleet.outbox()
      let request = try #require(try await server.waitForWhole().first)
      #expect(request.method == .put)
      #expect(request.target == "/orders/42?a=1%20b")
      #expect(request.fields["X-One"] == "1")
      #expect(request.fields.values(of: "X-Many") == ["a", "b"])
      #expect(request.fields.values(of: "Content-Type") == ["text/special"])
      #expect(request.fields["Idempotency-Key"] == #""k\"1\\""#)
      #expect(request.text == "größe")
      let entry = try #require(try await outbox.status(of: OutboxID(rawValue: id)))
      #expect(entry.lane == "customer/42")
      #expect(entry.idempotencyKey == #"k"1\"#)
      #expect(entry.priority == .utility)
      #expect(entry.expires != nil)
      #expect(entry.method == .put)
      #expect(entry.url == server.url("/orders/42?a=1%20b").absoluteString)
      await outbox.close()
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 1_048_576, 1_048_577, 3_500_000])
    func `a body is delivered byte for byte, whatever its size`(_ size: Int) async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      try await fleet.migrate()
      let body = Data.seeded(size)
      // Through a table, because a statement of psql has no parameters.
      try await fleet.psql(
        """
        CREATE TABLE errand.test_body(body bytea);
        INSERT INTO errand.test_body VALUES (decode('\(body.base64EncodedString())', 'base64'));
        SELECT errand.enqueue('POST', '\(server.url("/"))', body => body) FROM errand.test_body
        """)
      let outbox = try await fleet.outbox()
      try await outbox.waitUntilEmpty()
      let request = try #require(server.requests.first)
      #expect(request.body == body)
      #expect(request.fields["Content-Type"] == "application/octet-stream")
      await outbox.close()
      #expect(try await fleet.psql("SELECT count(*) FROM errand.blobs") == "0")
    }

    @Test func `a body has the type of its parameter, and may be missing`() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      try await fleet.migrate()
      try await fleet.psql(
        """
        SELECT errand.enqueue('POST', '\(server.url("/json"))', body => '{"a":1}'::jsonb);
        SELECT errand.enqueue('POST', '\(server.url("/text"))', body => 'text');
        SELECT errand.enqueue('DELETE', '\(server.url("/none"))');
        """)
      let outbox = try await fleet.outbox()
      try await outbox.waitUntilEmpty()
      let types = server.requests.map { [$0.path, $0.fields["Content-Type"] ?? "", $0.text] }
      #expect(
        Set(types) == [
          ["/json", "application/json", #"{"a": 1}"#], ["/text", "text/plain; charset=utf-8", "text"],
          ["/none", "", ""],
        ])
      await outbox.close()
    }

    @Test func `requests of a transaction disappear when it is rolled back`() async throws {
      let fleet = try await Fleet()
      let store = try await fleet.store()
      try await fleet.psql(
        """
        BEGIN; SELECT errand.enqueue('POST', 'https://example.com/', body => 'a', lane => 'l'); ROLLBACK;
        BEGIN; SELECT errand.enqueue('POST', 'https://example.com/', body => repeat('a', 3000000)); ROLLBACK;
        """)
      #expect(try await store.statistics() == OutboxStatistics())
      #expect(try await store.claim(10, for: .seconds(1)).rows.isEmpty)
      #expect(try await fleet.psql("SELECT count(*) FROM errand.blobs") == "0")
      await store.close()
    }

    @Test func `an existing id changes nothing, whatever became of its request`() async throws {
      let fleet = try await Fleet()
      let store = try await fleet.store()
      for _ in 0..<2 {
        let id = try await fleet.psql("SELECT errand.enqueue('GET', 'https://example.com/', id => 'a\\b')")
        #expect(id == "a\\b")
      }
      #expect(try await store.statistics().counts == [.stored: 1])
      #expect(try await store.rows([OutboxID(rawValue: "a\\b")])[0]?.state == .stored)
      _ = try await store.drop(.all, reason: "")
      try await fleet.psql("SELECT errand.enqueue('GET', 'https://example.com/', id => 'a\\b')")
      #expect(try await store.statistics().counts == [.dropped: 1])
      try await fleet.psql(
        "SELECT errand.enqueue('PUT', 'https://example.com/', body => repeat('a', 70000), id => 'a\\b')")
      #expect(try await fleet.psql("SELECT count(*) FROM errand.files") == "0")
      #expect(try await store.statistics().counts == [.dropped: 1])
      await store.close()
    }

    /// One schema for all refused requests, because making it takes longer than refusing them.
    private static let refusing = Task {
      let fleet = try await Fleet()
      try await fleet.migrate()
      return fleet
    }

    @Test(arguments: [
      "'GET', 'https://user:pass@example.com/'", "'GET', 'https://example.com/?a=1&access_token=s3cret'",
      "'GET', 'https://example.com/?a=1&%61ccess%255Ftoken=s3cret'",
      "'GET', 'https://example.com/#id_token=s3cret'",
      "'GET', 'https://example.com/?next=https%3A%2F%2Fa.com%2F%3Ftoken%3Ds3cret'",
      "'GET', 'https://example.com/?user[password]=s3cret'",
      "'GET', 'https://example.com/;jsessionid=s3cret'",
      "'GET', 'https://example.com/', headers => '{\"Authorization\": \"Bearer s3cret\"}'",
      "'GET', 'https://example.com/', headers => '{\"X-Api-Key\": \"s3cret\"}'",
      "'GET', 'https://example.com/', headers => '[[\"cookie\", \"s3cret\"]]'",
      "'GET', 'https://example.com/', headers => '{\"Link\": \"https://a.com/?token=s3cret\"}'",
      "'GET', 'https://example.com/', headers => '{\"Link\": \"https://u:s3cret@a.com/\"}'",
      "'GET', 'https://example.com/', headers => '{\"A B\": \"s3cret\"}'",
      "'GET', 'https://example.com/', headers => '{\"A\": \"s3cret\\n\"}'",
      "'GET', 'https://example.com/', headers => '{\"Content-Length\": \"3\"}'",
      "'GET', 'https://example.com/', headers => '\"s3cret\"'", "'GET', 'ftp://example.com/'",
      "'GET', 'https:///s3cret'", "'GET', 'https://example.com/s3 cret'", "'GET', NULL",
      "NULL, 'https://example.com/'",
      "'G T', 'https://example.com/'", "'CONNECT', 'https://example.com/'",
      "'GET', 'https://example.com/', priority => 's3cret'",
      "'GET', 'https://example.com/', lane => repeat('a', 201)",
      "'GET', 'https://example.com/', expires => '-1 s'",
      "'GET', 'https://example.com/', key => 'a', headers => '{\"idempotency-key\": \"s3cret\"}'",
      "'GET', 'https://example.com:65536/'", "'GET', 'https://example.com:1234567/'",
      "'GET', 'https://example.com:a/'",
      "'GET', 'https://:443/'", "'GET', 'https://[::1'", "'GET', 'https://[1.2.3.4]/'",
      "'GET', 'https://[::1]a/'",
      "'GET', 'https://[:::1]/'", "'GET', 'https://a:1:2/'", "'GET', 'https://a%2Fb/'",
      "'GET', 'https://a%zz/'",
      "'GET', 'https://' || repeat('a', 64) || '.xn--bcher-kva/'",
      "'GET', 'https://example.com/', headers => '{\"Host\": \"a/b\"}'",
      "'GET', 'https://example.com/', headers => '[[\"Host\", \"a\"], [\"host\", \"b\"]]'",
      "'GET', 'https://example.com/' || repeat('a', 524288)",
      "'GET', 'https://example.com/', headers => jsonb_build_object('a', repeat('a', 524288))",
      "'GET', 'https://example.com/', key => repeat('a', 524288)",
      "'GET', 'https://example.com/', options => '[]'", "'GET', 'https://example.com/', options => '\"a\"'",
      "'GET', 'https://example.com/', options => '{\"unheardOf\": 1}'",
      "'GET', 'https://example.com/', options => '{\"timeout\": \"1\"}'",
      "'GET', 'https://example.com/', options => '{\"timeout\": 1.5}'",
      "'GET', 'https://example.com/', options => '{\"timeout\": 0}'",
      "'GET', 'https://example.com/', options => '{\"deadline\": -5}'",
      "'GET', 'https://example.com/', options => '{\"memoryLimit\": 1e30}'",
      "'GET', 'https://example.com/', options => '{\"priority\": 4}'",
      "'GET', 'https://example.com/', options => '{\"requiresBody\": 1}'",
      "'GET', 'https://example.com/', options => '{\"httpVersion\": \"http9\"}'",
      "'GET', 'https://example.com/', options => '{\"statuses\": [300, 200]}'",
      "'GET', 'https://example.com/', options => '{\"statuses\": [200]}'",
      "'GET', 'https://example.com/', options => '{\"statuses\": []}'",
      "'GET', 'https://example.com/', options => '{\"statuses\": [200, 202, 201, 203]}'",
      "'GET', 'https://example.com/', options => '{\"statuses\": [200, 202, 404, 404.5]}'",
      "'GET', 'https://example.com/', options => '{\"contentTypes\": [1]}'",
      "'GET', 'https://example.com/', options => '{\"redirects\": {\"limit\": 1}}'",
    ])
    func `a request that enqueue would refuse is refused, and the error shows no secret`(_ arguments: String)
      async throws
    {
      let fleet = try await Self.refusing.value
      let error = await #expect(throws: (any Error).self) {
        try await fleet.psql("SELECT errand.enqueue(\(arguments))")
      }
      let text = String(describing: error)
      #expect(text.contains("the request cannot be stored: "), "\(text)")
      // psql quotes the statement in its context, on other lines.
      let message = text.split(separator: "\n").first { $0.contains("ERROR:") }
      #expect(message?.contains("s3cret") == false)
      #expect(try await fleet.psql("SELECT count(*) FROM errand.requests") == "0")
    }

    @Test func `the type of a body must not have a line break`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      let error = await #expect(throws: (any Error).self) {
        try await fleet.psql(
          """
          SELECT errand.enqueue_bytes('POST', 'https://example.com/', NULL, 'a', E'a/b\\r\\nX: y', NULL, NULL, 'default',
            NULL, NULL, false, NULL)
          """)
      }
      #expect("\(String(describing: error))".contains("the request cannot be stored: the type of its body"))
    }

    @Test(arguments: [
      "'GET', 'https://example.com:65535/'", "'GET', 'https://example.com:/'", "'GET', 'https://[::1]:80/'",
      "'GET', 'https://[fe80::1%25eth0]/'", "'GET', 'https://b%C3%BCcher.example/'",
      "'GET', 'https://xn--bcher-kva.example/'", "'GET', 'https://a_b~c.example/'",
      "'GET', 'https://127.0.0.1:0080/'",
      "'GET', 'https://example.com/', headers => '{\"Host\": \"example.com:8080\"}'",
      "'GET', 'https://example.com/', headers => jsonb_build_object('a', repeat('a', 500000))",
      "'GET', 'https://example.com/', options => 'null'", "'GET', 'https://example.com/', options => '{}'",
      "'GET', 'https://example.com/', options => '{\"timeout\": 5000000000, \"statuses\": [200, 201, 404, 405], \"trace\": null}'",
    ])
    func `a request that enqueue would store is stored, and can be read`(_ arguments: String) async throws {
      let fleet = try await Fleet()
      let outbox = try await fleet.outbox { $0.delivers = false }
      let id = try await fleet.psql("SELECT errand.enqueue(\(arguments))")
      // Reads the content, like a delivery does.
      let lines = Locked(0)
      #expect(try await outbox.export { _ in lines.withLock { $0 += 1 } } == 1)
      #expect(try await outbox.status(of: OutboxID(rawValue: id))?.state == .stored)
      await outbox.close()
    }

    @Test func `SQL knows every stored option`() {
      let names = Mirror(reflecting: StoredOptions(RequestOptions())).children.compactMap(\.label)
      #expect(names.count == 17)
      for name in names { #expect(Schema.checking.contains("'\(name)'"), "\(name)") }
    }

    @Test func `a role may enqueue without being allowed to see anything`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      try await fleet.psql(
        "CREATE ROLE app_\(fleet.schema) LOGIN; GRANT USAGE ON SCHEMA \(fleet.schema) TO app_\(fleet.schema)")
      let role = "app_\(fleet.schema)"
      try await fleet.psql("SELECT errand.enqueue('GET', 'https://example.com/', lane => 'l')", user: role)
      for statement in [
        "SELECT * FROM errand.requests", "DELETE FROM errand.requests",
        "SELECT * FROM errand.claim(NULL, 1, 10, '{}', '{}', 10, 10, NULL, 0, 0, 1000)",
        "SELECT errand.pause(1, true, NULL, NULL)",
      ] {
        await #expect(throws: (any Error).self) { try await fleet.psql(statement, user: role) }
      }
      #expect(try await fleet.psql("SELECT count(*) FROM errand.requests") == "1")
      try await fleet.psql("DROP OWNED BY \(role); DROP ROLE \(role)")
    }
  }
#endif
