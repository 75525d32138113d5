#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import Testing

  /// Many requests in one call of SQL.
  @Suite struct EnqueueManyTests {
    private func ids(_ json: String, _ fleet: Fleet) async throws -> [String] {
      try await fleet.psql("SELECT unnest(errand.enqueue_many($json$\(json)$json$))").split(separator: "\n")
        .map(String.init)
    }

    @Test func `requests are sent as enqueue stores them, and their ids are in order`() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      try await fleet.migrate()
      let long = String(repeating: "x", count: 70_000)
      let ids = try await ids(
        """
        [{"method": "PUT", "url": "\(server.url("/text"))", "body": "größe", "id": "a\\\\b", "lane": "l\\\\m",
          "headers": {"X-One": 1}, "key": "k", "priority": "utility", "expires": "1 hour", "holds_lane": true},
         {"method": "POST", "url": "\(server.url("/json"))", "body": {"a": [1, null]}, "lane": "l\\\\m"},
         {"method": "GET", "url": "\(server.url("/none"))", "body": null, "options": {"timeout": 5000000000}},
         {"method": "POST", "url": "\(server.url("/long"))", "body": "\(long)", "id": "z"}]
        """, fleet)
      #expect(ids.count == 4 && ids[0] == "a\\b" && ids[3] == "z" && Set(ids).count == 4)
      let outbox = try await fleet.outbox()
      let first = try #require(try await outbox.status(of: OutboxID(rawValue: "a\\b")))
      #expect(first.lane == "l\\m" && first.idempotencyKey == "k" && first.priority == .utility)
      #expect(first.expires != nil)
      try await outbox.waitUntilEmpty()
      let requests = server.requests.map { [$0.path, $0.fields["Content-Type"] ?? "", $0.text] }
      #expect(
        Set(requests) == [
          ["/text", "text/plain; charset=utf-8", "größe"],
          ["/json", "application/json", #"{"a": [1, null]}"#],
          ["/none", "", ""], ["/long", "text/plain; charset=utf-8", long],
        ])
      let lane = server.requests.map(\.path).filter { $0 == "/text" || $0 == "/json" }
      #expect(lane == ["/text", "/json"])
      #expect(server.requests.first { $0.path == "/text" }?.fields["X-One"] == "1")
      await outbox.close()
    }

    @Test func `a key in the options has separate pauses`() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      server.on("/busy") { _ in .response(status: 429, fields: ["Retry-After": "3600"]) }
      try await fleet.migrate()
      _ = try await ids(
        #"[{"method": "POST", "url": "\#(server.url("/busy"))", "options": {"key": "acme"}, "id": "busy"}]"#,
        fleet)
      let outbox = try await fleet.outbox()
      try await server.waitForRequests(1)
      try await outbox.waitUntilIdle()
      #expect(try await outbox.heldOrigins().map(\.key) == ["acme"])
      try await fleet.psql("SELECT errand.enqueue('POST', '\(server.url("/good"))', id => 'good')")
      let receipt = try #require(try await outbox.receipt(for: OutboxID(rawValue: "good")))
      guard case .delivered = try await receipt.outcome() else {
        Issue.record("it was not delivered")
        return
      }
      await outbox.close()
    }

    @Test func `an id that exists already, or is repeated, changes nothing`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      let json = """
        [{"method": "GET", "url": "https://a.test/1", "id": "a"}, {"method": "GET", "url": "https://a.test/2", "id": "a"},
         {"method": "GET", "url": "https://a.test/3", "id": "b"}]
        """
      for _ in 0..<2 { #expect(try await ids(json, fleet) == ["a", "a", "b"]) }
      #expect(
        try await fleet.psql("SELECT count(*), sum(count) FROM errand.requests, errand.totals()") == "2|4")
    }

    @Test(arguments: [
      (
        #"[{"method": "GET", "url": "https://a.test/"}, {"method": "GET", "url": "ftp://s3cret/"}]"#,
        "request 2 of 2: "
      ),
      (#"[{"method": "GET", "url": "https://a.test/", "lanes": "s3cret"}]"#, "request 1 of 1: "),
      (#"[{"method": "GET", "url": "https://a.test/", "priority": "s3cret"}]"#, "priority"),
      (#"[{"method": "GET", "url": "https://a.test/", "options": {"a": 1}}]"#, "option a"),
      (#"[{"url": "https://a.test/"}]"#, "method"), (#"["s3cret"]"#, "request 1 of 1: "),
      (#"{"method": "GET"}"#, "no JSON array"), ("null", "no JSON array"),
    ])
    func `the error names the refused request, and nothing is stored`(_ json: String, _ part: String)
      async throws
    {
      let fleet = try await Fleet()
      try await fleet.migrate()
      let error = await #expect(throws: (any Error).self) { try await ids(json, fleet) }
      let message =
        "\(String(describing: error))".split(separator: "\n").first { $0.contains("ERROR:") } ?? ""
      #expect(message.contains(part) && !message.contains("s3cret"), "\(message)")
      #expect(try await fleet.psql("SELECT count(*) FROM errand.requests") == "0")
    }

    @Test func `an empty list is not an error, and a role that may enqueue may enqueue many`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      #expect(try await ids("[]", fleet).isEmpty)
      let role = "many_\(fleet.schema)"
      try await fleet.psql("CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(fleet.schema) TO \(role)")
      try await fleet.psql(
        #"SELECT errand.enqueue_many('[{"method": "GET", "url": "https://a.test/"}]')"#, user: role)
      #expect(try await fleet.psql("SELECT count(*) FROM errand.requests") == "1")
      try await fleet.psql("DROP OWNED BY \(role); DROP ROLE \(role)")
    }
  }
#endif
