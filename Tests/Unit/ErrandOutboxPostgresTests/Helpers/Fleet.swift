#if Postgres
  import ErrandCore
  import ErrandCurl
  import ErrandOutbox
  import ErrandOutboxPostgres
  import ErrandTesting
  import Foundation
  import PostgresCluster

  /// A dedicated schema in the shared cluster or another one, and outboxes on it.
  struct Fleet {
    let cluster: PostgresCluster
    let database: String
    let schema = "s\(UInt64.random(in: 0...(.max)))"

    init(_ cluster: PostgresCluster? = nil, database: String = "postgres") async throws {
      self.database = database
      if let cluster { self.cluster = cluster } else { self.cluster = try await PostgresCluster.shared() }
    }

    var settings: PostgresSettings {
      var settings = PostgresSettings()
      settings.schema = schema
      settings.connections = 2
      return settings
    }

    func store(_ change: (inout PostgresSettings) -> Void = { _ in }) async throws -> PostgresOutboxStore {
      var settings = settings
      change(&settings)
      return try await PostgresOutboxStore(cluster.url(database: database), settings: settings)
    }

    /// Makes the schema.
    func migrate() async throws {
      try await PostgresOutboxStore.migrate(cluster.url(database: database), settings: settings)
    }

    func client() -> Client { Client(transport: CurlTransport()) }

    func outbox(
      _ store: PostgresOutboxStore? = nil, _ change: (inout OutboxConfiguration) -> Void = { _ in }
    ) async throws -> Outbox {
      var configuration = OutboxConfiguration()
      configuration.reachability = nil
      configuration.pollInterval = .seconds(60)
      change(&configuration)
      let own: PostgresOutboxStore
      if let store { own = store } else { own = try await self.store() }
      return try await Outbox(store: own, client: client(), configuration: configuration)
    }

    /// Runs statements for this schema, which are written for the schema `errand`.
    @discardableResult
    func psql(_ sql: String, user: String = "postgres") async throws -> String {
      let named = sql.replacingOccurrences(of: "errand.", with: "\(schema).")
      return try await cluster.psql(named, database: database, user: user)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  extension MockServer {
    /// A server that accepts every request.
    static func accepting() throws -> MockServer {
      let server = try MockServer()
      server.otherwise { _ in .response() }
      return server
    }

    /// Waits for `count` requests with their bodies.
    func waitForWhole(_ count: Int = 1) async throws -> [MockRequest] {
      try await wait(for: "\(count) complete requests") { $0.requests.count(where: \.isComplete) >= count }
      return requests.filter(\.isComplete)
    }
  }
#endif
