#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import Programs
  import Testing

  /// Servers that are unavailable, full, read-only or unusable: each causes a clear error, and nothing is
  /// lost.
  @Suite(.timeLimit(.minutes(1))) struct ServerTroubleTests {
    private func refusal(
      _ url: String, _ change: (inout PostgresSettings) -> Void = { _ in }
    ) async throws -> OutboxError {
      var settings = PostgresSettings()
      change(&settings)
      return try #require(
        await #expect(throws: OutboxError.self) { try await PostgresOutboxStore(url, settings: settings) })
    }

    @Test func `opening a store on an unavailable server is an error within the deadline`() async throws {
      let url = "postgres://me:s3cret@127.0.0.1:\(try FreePort.take())/app"
      let start = ContinuousClock.now
      let error = try await refusal(url) { $0.deadline = .seconds(1) }
      #expect(error.code == .failed && error.message.contains("check that the server runs"), "\(error)")
      #expect(!error.message.contains("s3cret"))
      #expect(start.duration(to: .now) < .seconds(10))
    }

    @Test func `a database that is missing or cannot hold every text is refused`() async throws {
      let cluster = try await PostgresCluster.shared()
      let missing = try await refusal(cluster.url(database: "nowhere"))
      #expect(missing.code == .notWritable && missing.message.contains("create it first"), "\(missing)")
      let ascii = try await cluster.makeDatabase("ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
      let encoding = try await refusal(cluster.url(database: ascii))
      #expect(encoding.code == .notWritable && encoding.message.contains("SQL_ASCII"), "\(encoding)")
      #expect(try await cluster.psql("SELECT 1", database: ascii).hasPrefix("1"))
    }

    @Test func `a role without rights is refused, before and after the schema is created`() async throws {
      let fleet = try await Fleet()
      let role = "nobody_\(fleet.schema)"
      try await fleet.psql("CREATE ROLE \(role) LOGIN")
      let url = fleet.cluster.url(user: role)
      let before = try await refusal(url) { $0.schema = fleet.schema }
      #expect(before.code == .notWritable && before.message.contains("lacks rights"), "\(before)")
      try await fleet.migrate()
      let after = try await refusal(url) { $0.schema = fleet.schema }
      #expect(after.code == .notWritable && after.message.contains("lacks rights"), "\(after)")
      try await fleet.psql("DROP ROLE \(role)")
    }

    @Test func `while the server is unavailable, calls fail or wait as configured, and then all continues`()
      async throws
    {
      let (cluster, server) = (try await PostgresCluster(isDurable: true), try MockServer.accepting())
      let fleet = try await Fleet(cluster)
      let outbox = try await fleet.outbox(fleet.store { $0.deadline = .seconds(3) })
      let patient = try await fleet.outbox(fleet.store { $0.deadline = nil })
      try await outbox.enqueue(Request.post(server.url("/before"), .text("a")))
      _ = try await server.waitForWhole()
      try await cluster.stop(.immediate)

      let error = await #expect(throws: OutboxError.self) {
        try await outbox.enqueue(Request.post(server.url("/failed"), .text("b")))
      }
      #expect(
        error?.code == .failed && error?.message.contains("cannot be reached") == true,
        "\(String(describing: error))")
      async let waited = patient.enqueue(Request.post(server.url("/waited"), .text("c")))
      try await cluster.start()

      #expect(try await waited.isNew)
      try await outbox.enqueue(Request.post(server.url("/after"), .text("d")))
      try await outbox.waitUntilEmpty()
      // Requests that were in flight when the server stopped may have been sent twice, with the same key.
      #expect(Set(server.requests.map(\.path)) == ["/before", "/waited", "/after"])
      for outbox in [outbox, patient] { await outbox.close() }
    }

    @Test func `a standby is refused, and a store continues when it becomes the primary`() async throws {
      let (cluster, server) = (try await PostgresCluster(isDurable: true), try MockServer.accepting())
      let fleet = try await Fleet(cluster)
      let outbox = try await fleet.outbox(fleet.store { $0.deadline = .seconds(5) })
      try await cluster.stop()
      try await cluster.startAsStandby()

      let opened = try await refusal(cluster.url()) { $0.schema = fleet.schema }
      #expect(opened.code == .notWritable && opened.message.contains("standby"), "\(opened)")
      let enqueued = await #expect(throws: OutboxError.self) {
        try await outbox.enqueue(Request.post(server.url("/"), .text("a")))
      }
      #expect(enqueued?.code == .notWritable, "\(String(describing: enqueued))")
      try await cluster.promote()
      try await outbox.enqueue(Request.post(server.url("/"), .text("b")))
      try await outbox.waitUntilEmpty()
      #expect(server.requests.map(\.text) == ["b"])
      await outbox.close()
    }

    #if os(Linux)
      @Test func `a full disk is an error, and the requests that were accepted before it are delivered`()
        async throws
      {
        let (cluster, server) = (try await PostgresCluster(), try MockServer.accepting())
        let fleet = try await Fleet(cluster)
        try await fleet.migrate()
        // The log's files have 16 MiB.
        try await cluster.limitFiles(to: 16 * 1_048_576 + 4_096)
        let full = try await fleet.outbox { $0.delivers = false }
        var generator = SystemRandomNumberGenerator()
        var accepted: [Data] = []
        let error = await #expect(throws: OutboxError.self) {
          for _ in 0..<40 {
            let words = (0..<100_000).map { _ in UInt64.random(in: 0...(.max), using: &generator) }
            let body = words.withUnsafeBytes { Data($0) }
            try await full.enqueue(Request.post(server.url("/"), .bytes(body)))
            accepted.append(body)
          }
        }
        #expect(
          error?.code == .diskFull && error?.message.contains("free some space") == true,
          "\(String(describing: error))")
        #expect(accepted.count > 10)
        await full.close()

        try await cluster.limitFiles(to: nil)
        let outbox = try await fleet.outbox()
        try await outbox.enqueue(Request.post(server.url("/"), .text("after")))
        try await outbox.waitUntilEmpty()
        #expect(Set(server.requests.map(\.body)) == Set(accepted + [Data("after".utf8)]))
        await outbox.close()
      }
    #endif
  }
#endif
