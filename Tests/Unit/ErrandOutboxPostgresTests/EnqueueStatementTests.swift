#if Postgres
  import CPostgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import TestSupport
  import Testing

  @Suite struct EnqueueStatementTests {
    @Test func `a statement enqueues the same request as an outbox`() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      try await fleet.migrate()
      let request = Request.put(
        server.url("/a?b=c%20d"), RequestBody.bytes(Data([0, 1, 255]), contentType: "a/b")
      )
      .field("X-Two", "1").field("X-One", "\"quoted\" \\ größe").idempotencyKey("k\"1")
      .priority(.userInitiated).timeout(.seconds(7)).deadline(.seconds(60))
      let statement = try PostgresOutboxStore.enqueueStatement(
        for: request, lane: "l", expires: .seconds(60), id: OutboxID(rawValue: "the id"), schema: fleet.schema
      )
      #expect(try await execute(statement, fleet) == "the id")
      var configuration = OutboxConfiguration()
      configuration.delivers = false
      configuration.reachability = nil
      let outbox = try await Outbox(
        store: try await fleet.store(), client: fleet.client(), configuration: configuration)
      try await outbox.enqueue([
        OutboxItem(request, lane: "l", expires: .seconds(60), id: OutboxID(rawValue: "another"))
      ])
      let entries = try await outbox.list()
      #expect(entries.count == 2)
      #expect(Set(entries.map(\.url)).count == 1)
      #expect(Set(entries.map(\.idempotencyKey)) == ["k\"1"])
      #expect(Set(entries.map(\.priority)) == [.userInitiated])
      #expect(entries.allSatisfy { $0.expires != nil && $0.lane == "l" })
      outbox.deliver()
      try await outbox.waitUntilEmpty()
      let heads = server.requests.map { request in request.fields.map { "\($0.name): \($0.value)" } }
      #expect(heads.count == 2)
      #expect(heads.first?.sorted() == heads.last?.sorted())
      #expect(Set(server.requests.map(\.body)) == [Data([0, 1, 255])])
      await outbox.close()
    }

    @Test func `a statement keeps a large, empty or missing body`() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      try await fleet.migrate()
      let bodies = [Data(), Data.seeded(70_000), Data.seeded(2_500_000)]
      for (index, body) in bodies.enumerated() {
        let request = Request.post(server.url("/\(index)"), RequestBody.bytes(body, contentType: "a/b"))
        _ = try await execute(
          try PostgresOutboxStore.enqueueStatement(for: request, schema: fleet.schema), fleet)
      }
      _ = try await execute(
        try PostgresOutboxStore.enqueueStatement(for: .delete(server.url("/3")), schema: fleet.schema), fleet)
      let outbox = try await fleet.outbox()
      try await outbox.waitUntilEmpty()
      for (index, body) in (bodies + [Data()]).enumerated() {
        #expect(server.requests.first { $0.path == "/\(index)" }?.body == body)
      }
      #expect(server.requests.first { $0.path == "/3" }?.fields["Content-Type"] == nil)
      await outbox.close()
    }

    @Test func `a statement is refused if an outbox would not store the request`() throws {
      let requests = [
        Request.get("https://example.com/").field("Authorization", "Bearer s3cret"),
        Request.get("https://user:s3cret@example.com/"),
        Request.post("https://example.com/", .file(URL(filePath: "/etc/hostname"))), Request.get("relative"),
      ]
      for request in requests {
        let error = #expect(throws: OutboxError.self) {
          try PostgresOutboxStore.enqueueStatement(for: request)
        }
        #expect(error?.code == .notStorable)
        #expect(error?.description.contains("s3cret") == false)
      }
    }

    /// Executes a statement like another library would: over a separate connection, with parameters as text.
    private func execute(_ statement: PostgresStatement, _ fleet: Fleet) async throws -> String {
      let url = fleet.cluster.url()
      return try await OwnThread.run {
        let connection = PQconnectdb(url)
        defer { PQfinish(connection) }
        let values: [String?] = statement.parameters.map {
          switch $0 {
          case .null: nil
          case .text(let text): text
          case .bytes(let data):
            "\\x" + data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
          }
        }
        let texts = values.map { $0.map { strdup($0) } }
        defer { for text in texts { free(text ?? nil) } }
        let pointers: [UnsafePointer<CChar>?] = texts.map { $0.map { UnsafePointer($0!) } }
        let result = PQexecParams(
          connection, statement.sql, Int32(pointers.count), nil, pointers, nil, nil, 0)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_TUPLES_OK else {
          throw OutboxError(.failed, String(cString: PQerrorMessage(connection)))
        }
        return String(cString: PQgetvalue(result, 0, 0))
      }
    }
  }
#endif
