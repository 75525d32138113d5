#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import Testing

  /// Behind pgbouncer in transaction mode, each statement may use another connection, so that notifications
  /// do not arrive.
  @Suite(
    .timeLimit(.minutes(1)),
    .enabled("SKIPPED: pgbouncer is not installed (scripts/install test)") { Pooler.isInstalled })
  struct PoolerTests {
    @Test(arguments: [true, false])
    func `several outboxes share a few connections`(listens: Bool) async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      let pooler = try await Pooler(before: fleet.cluster, connections: 3)
      var settings = fleet.settings
      settings.listens = listens
      var outboxes: [Outbox] = []
      for _ in 0..<4 {
        outboxes.append(
          try await fleet.outbox(PostgresOutboxStore(pooler.url(), settings: settings)))
      }
      for (index, outbox) in outboxes.enumerated() {
        try await outbox.enqueue((0..<25).map { Request.post(server.url("/\(index)/\($0)"), .text("a")) })
      }
      // Large bodies, in several pieces.
      let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
      try await outboxes[0].enqueue(Request.put(server.url("/large"), .bytes(body)))
      for outbox in outboxes { try await outbox.waitUntilEmpty() }
      #expect(server.requests.count == 101 && Set(server.requests.map(\.path)).count == 101)
      #expect(server.requests.first { $0.path == "/large" }?.body == body)
      for outbox in outboxes { await outbox.close() }
      try await pooler.stop()
    }

    @Test func `a request that another process enqueues is found without a notification`() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      let pooler = try await Pooler(before: fleet.cluster, connections: 3)
      let outbox = try await fleet.outbox(PostgresOutboxStore(pooler.url(), settings: fleet.settings))
      try await fleet.psql("SELECT errand.enqueue('GET', '\(server.url("/"))')")
      _ = try await server.waitForWhole()
      await outbox.close()
      try await pooler.stop()
    }

    @Test func `the pooler may be restarted while an outbox delivers`() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      let pooler = try await Pooler(before: fleet.cluster, connections: 3)
      let outbox = try await fleet.outbox(PostgresOutboxStore(pooler.url(), settings: fleet.settings))
      try await outbox.enqueue((0..<200).map { Request.post(server.url("/\($0)"), .text("a")) })
      try await pooler.restart()
      try await outbox.waitUntilEmpty()
      #expect(Set(server.requests.map(\.path)).count == 200)
      await outbox.close()
      try await pooler.stop()
    }
  }
#endif
