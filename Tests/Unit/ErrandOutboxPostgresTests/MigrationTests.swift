#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import TestSupport
  import Testing

  @testable import ErrandOutboxPostgres

  @Suite(.timeLimit(.minutes(1))) struct MigrationTests {
    private static let newest = Schema.migrations.count

    /// A change that a later version might make: a column that older programs do not know.
    private static let adding = PostgresMigration(
      newest + 1, "a note for each request", compatible: 1,
      sql: ["requests", "dead", "history"]
        .map { "ALTER TABLE errand.\($0) ADD COLUMN note text NOT NULL DEFAULT '';" }.joined(separator: "\n"))
    /// A change with which older programs cannot work.
    private static let breaking = PostgresMigration(
      newest + 2, "claims of another kind", compatible: newest + 2,
      sql: "ALTER FUNCTION errand.claim RENAME TO claim_all")

    private func everything(_ fleet: Fleet) async throws -> String {
      try await fleet.psql(
        """
        SELECT relname, relkind FROM pg_class WHERE relnamespace::regnamespace::text = '\(fleet.schema)' ORDER BY 1;
        SELECT proname FROM pg_proc WHERE pronamespace::regnamespace::text = '\(fleet.schema)' ORDER BY 1;
        SELECT version, name, done FROM errand.migrations;
        """)
    }

    @Test func `a dry run lists the steps, and does nothing`() async throws {
      let fleet = try await Fleet()
      let url = fleet.cluster.url()
      let pending = try await PostgresOutboxStore.migrate(url, settings: fleet.settings, dryRun: true)
      #expect(pending == Schema.migrations)
      let isThere = "SELECT to_regnamespace('\(fleet.schema)') IS NOT NULL"
      #expect(try await fleet.psql(isThere) == "f")
      #expect(try await PostgresOutboxStore.migrate(url, settings: fleet.settings) == pending)
      #expect(try await PostgresOutboxStore.migrate(url, settings: fleet.settings, dryRun: true).isEmpty)
    }

    @Test func `programs that migrate concurrently do each step once`() async throws {
      let fleet = try await Fleet()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { try await fleet.migrate() } }
        try await group.waitForAll()
      }
      #expect(
        try await fleet.psql("SELECT count(*) FROM errand.migrations") == "\(Schema.migrations.count)")
    }

    @Test func `programs that bring a schema up to date concurrently do each step once`() async throws {
      let fleet = try await Fleet()
      let old = try await fleet.store { $0.migrations = [Schema.migrations[0]] }
      await old.close()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { try await fleet.migrate() } }
        try await group.waitForAll()
      }
      let versions = try await fleet.psql("SELECT array_agg(version ORDER BY version) FROM errand.migrations")
      #expect(versions == "{1,2,3,4,5,6,7,8}")
    }

    /// A function with fewer parameters would make each call of SQL ambiguous.
    @Test func `a schema of the previous version can enqueue in SQL after it is brought up to date`()
      async throws
    {
      let fleet = try await Fleet()
      let old = try await fleet.store { $0.migrations = Array(Schema.migrations.prefix(2)) }
      await old.close()
      try await fleet.psql(
        """
        CREATE FUNCTION errand.add(
          bigint[], integer, bigint, bigint, integer, boolean, text[], text[], text[], text[], bigint[], bigint[],
          bigint[], bigint[], bytea[], bytea[], bigint[], text[], text[], bigint[]
        ) RETURNS void LANGUAGE sql AS 'SELECT';
        """)
      try await fleet.migrate()
      #expect(
        try await fleet.psql("SELECT errand.enqueue('POST', 'https://a.test/', lane => 'l', id => 'a')")
          == "a")
    }

    @Test func `a failed migration leaves nothing behind`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      let before = try await everything(fleet)
      let wrong = PostgresMigration(
        Self.newest + 2, "wrong", compatible: Self.newest + 2, sql: "SELECT * FROM errand.nothing")
      await #expect(throws: OutboxError.self) {
        try await fleet.store { $0.migrations += [Self.adding, wrong] }
      }
      #expect(try await everything(fleet) == before)
    }

    @Test func `a schema that a program must not change is left alone`() async throws {
      let fleet = try await Fleet()
      let missing = await #expect(throws: OutboxError.self) {
        try await fleet.store { $0.migrates = false }
      }
      #expect(missing?.code == .notWritable && missing?.message.contains("errand outbox migrate") == true)
      try await fleet.migrate()
      let before = try await everything(fleet)
      await #expect(throws: OutboxError.self) {
        try await fleet.store {
          $0.migrates = false
          $0.migrations.append(Self.adding)
        }
      }
      #expect(try await everything(fleet) == before)
    }

    @Test func `functions of version 1 are replaced while they are in use`() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      let old = try await fleet.outbox(fleet.store { $0.migrations = [Schema.migrations[0]] })
      // As version 1 created it.
      try await fleet.psql("ALTER FUNCTION errand.add RESET ALL; ALTER FUNCTION errand.claim RESET ALL")
      let new = try await fleet.outbox()
      for outbox in [old, new] {
        try await outbox.enqueue((0..<20).map { Request.post(server.url("/\(UUID())/\($0)"), .text("a")) })
      }
      for outbox in [old, new] { try await outbox.waitUntilEmpty() }
      #expect(server.requests.count == 40)
      let settings = try await fleet.psql(
        """
        SELECT count(*) FROM pg_proc WHERE pronamespace::regnamespace::text = '\(fleet.schema)'
          AND proname IN ('add', 'claim') AND array_to_string(proconfig, ' ') LIKE '%search_path=%'
        """)
      #expect(settings == "2")
      for outbox in [old, new] { await outbox.close() }
    }

    @Test func `two versions deliver together during a migration`() async throws {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      let old = try await fleet.outbox()
      try await old.enqueue((0..<50).map { Request.post(server.url("/before/\($0)"), .text("a")) })
      let new = try await fleet.outbox(fleet.store { $0.migrations.append(Self.adding) })
      for outbox in [old, new] {
        try await outbox.enqueue((0..<50).map { Request.post(server.url("/\(UUID())/\($0)"), .text("b")) })
      }
      // A program of the old version that starts only now works with the new schema, too.
      let late = try await fleet.outbox()
      try await late.enqueue(Request.post(server.url("/late"), .text("c")))
      try await old.waitUntilEmpty()
      try await new.waitUntilEmpty()
      #expect(Set(server.requests.map(\.path)).count == 151)
      #expect(server.requests.count == 151)
      #expect(try await fleet.psql("SELECT max(version) FROM errand.migrations") == "\(Self.newest + 1)")
      for outbox in [old, new, late] { await outbox.close() }
    }

    @Test func `a newer schema is refused without changes, and programs that use it get an error`()
      async throws
    {
      let fleet = try await Fleet()
      let store = try await fleet.store()

      let newer: (inout PostgresSettings) -> Void = { $0.migrations += [Self.adding, Self.breaking] }
      let new = try await fleet.store(newer)
      let before = try await everything(fleet)
      let refused = await #expect(throws: OutboxError.self) { try await fleet.store() }
      #expect(
        refused?.code == .tooNew && refused?.message.contains("version \(Self.newest + 2)") == true,
        "\(String(describing: refused))")
      let dryRun = await #expect(throws: OutboxError.self) {
        try await PostgresOutboxStore.migrate(fleet.cluster.url(), settings: fleet.settings, dryRun: true)
      }
      #expect(dryRun?.code == .tooNew)
      let working = await #expect(throws: OutboxError.self) {
        try await store.claim(ClaimBounds(10), for: .seconds(10))
      }
      #expect(working?.code == .tooNew, "\(String(describing: working))")
      #expect(try await everything(fleet) == before)
      await new.close()
      await store.close()
    }

    @Test
    func `a running worker leaves requests alone that it cannot read, and says that it is to be updated`()
      async throws
    {
      let (fleet, server) = (try await Fleet(), try MockServer.accepting())
      let failures = Locked<[OutboxError]>([])
      let outbox = try await fleet.outbox {
        $0.onStoreFailure = { error in
          failures.withLock { if let error = error as? OutboxError { $0.append(error) } }
        }
      }
      try await outbox.enqueue(.post(server.url("/before"), .text("a")))
      try await outbox.waitUntilEmpty()
      let later = PostgresMigration(
        Self.newest + 1, "rows of another kind", compatible: Self.newest + 1, sql: "")
      let new = try await fleet.store { $0.migrations.append(later) }
      // As a newer program would store it. The running worker hears of it.
      _ = try await new.add(
        [
          NewRow(
            id: OutboxID(rawValue: "new"), lane: nil, holdsLane: false, priority: 0, expiry: nil,
            summary: Data([0, 9]),
            content: Data([0, 9]), files: [], size: 2, origin: "http://127.0.0.1:9")
        ], within: OutboxCaps())
      outbox.deliver()
      try await waitUntil { failures.withLock { !$0.isEmpty } }
      let first = failures.withLock { $0.first }
      let failure = try #require(first)
      #expect(failure.code == .tooNew)
      #expect(failure.message.contains("update this program"))
      let row = try #require(try await new.rows([OutboxID(rawValue: "new")])[0])
      #expect(row.state == .stored && row.attempts == 0 && row.reason == nil)
      await outbox.close()
      await new.close()
    }
  }
#endif
