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

  /// The databases of earlier versions, which the present version must bring up to date and deliver from. Tests/Formats
  /// has a dump for each version.
  ///
  /// A release whose tables differ from those of the last dump adds another one:
  /// `ERRAND_FORMATS=$PWD/Tests/Formats/1.3.sql.gz swift test --filter DatabaseFormatsTests`.
  @Suite(.timeLimit(.minutes(1))) struct DatabaseFormatsTests {
    private static let formats = URL(filePath: #filePath).appending(path: "../../../Formats")
      .standardizedFileURL
    private static let versions =
      ((try? FileManager.default.contentsOfDirectory(atPath: formats.path)) ?? [])
      .filter { $0.hasSuffix(".sql.gz") }.map { String($0.dropLast(7)) }.sorted()
    private static let large = Data.seeded(100_000, mask: 1)

    @Test(arguments: versions) func `a database of an earlier version is delivered`(version: String)
      async throws
    {
      let dump = Self.formats.appending(path: version + ".sql.gz")
      try await check(try await Program.output(of: "gzip", ["-dc", dump.path]))
    }

    @Test func `the first version is among them`() { #expect(Self.versions.contains("0.1")) }

    @Test func `a database of this version is delivered`() async throws {
      let dump = try await write()
      if let file = ProcessInfo.processInfo.environment["ERRAND_FORMATS"] {
        try await Program.output(of: "gzip", ["-9nc"], input: dump).write(to: URL(filePath: file))
      }
      try await check(dump)
    }

    private func outbox(_ url: String, sending transport: StubTransport) async throws -> Outbox {
      var settings = PostgresSettings()
      settings.connections = 2
      let store = try await PostgresOutboxStore(url, settings: settings)
      var configuration = OutboxConfiguration()
      configuration.reachability = nil
      return try await Outbox(
        store: store, client: Client(transport: transport), configuration: configuration)
    }

    /// Returns the dump of a database with a dead letter, a stored request with a large body, and one that a program
    /// stored in SQL.
    private func write() async throws -> Data {
      let cluster = try await PostgresCluster.shared()
      let database = try await cluster.makeDatabase()
      let outbox = try await outbox(
        cluster.url(database: database), sending: StubTransport { _ in .response(status: 422, body: "No.") })
      let rejected = try await outbox.enqueue(
        .delete("https://api.example.com/orders/6"), id: OutboxID(rawValue: "rejected"))
      _ = try await rejected.outcome()
      try await outbox.pause()
      try await TemporaryFolder.using { folder in
        let source = folder.appending(path: "source")
        try Self.large.write(to: source)
        try await outbox.enqueue(
          .put("https://files.example.com/a", .file(source)), id: OutboxID(rawValue: "file"))
      }
      try await cluster.psql(
        """
        SELECT errand.enqueue(
          method => 'POST', url => 'https://api.example.com/orders', body => '{"number": 7}', lane => 'orders/7', id => 'order')
        """, database: database)
      await outbox.close()
      let dump = try await cluster.run(
        "pg_dump", ["--no-owner", "--inserts", cluster.url(database: database)])
      // Only the newest psql know the lines that the newest pg_dump adds.
      let lines = dump.split(separator: "\n", omittingEmptySubsequences: false)
      return Data(
        lines.filter { !$0.contains("restrict ") || !$0.hasPrefix("\\") }.joined(separator: "\n").utf8)
    }

    private func check(_ dump: Data) async throws {
      let cluster = try await PostgresCluster.shared()
      let database = try await cluster.makeDatabase()
      try await cluster.psql(String(decoding: dump, as: UTF8.self), database: database)
      let server = StubTransport { _ in .response() }
      let outbox = try await outbox(cluster.url(database: database), sending: server)
      let dead = try #require(try await outbox.status(of: OutboxID(rawValue: "rejected")))
      #expect(dead.state == .deadLettered)
      #expect(
        try await outbox.list(OutboxSelection(lane: .named("orders/7"))).map(\.id.rawValue) == ["order"])
      try await outbox.retry(OutboxSelection(ids: [dead.id]), force: true)
      try await outbox.resume()
      try await outbox.waitUntilEmpty()
      await outbox.close()

      var sent: [HTTPMethod: StubRequest] = [:]
      for request in server.requests { sent[request.method] = request }
      #expect(server.requests.count == 3 && sent.count == 3)
      #expect(sent[.post]?.text == #"{"number": 7}"#)
      #expect(sent[.put]?.body == Self.large)
      #expect(sent[.delete]?.url.path == "/orders/6")
    }
  }
#endif
