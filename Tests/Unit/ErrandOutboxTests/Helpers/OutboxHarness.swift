import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

#if Postgres
  import ErrandOutboxPostgres
  import PostgresCluster
#endif

/// An outbox on a real file, with a real server. `scripts/tests-on-postgres` runs tests with
/// `ERRAND_TEST_STORE=postgres`: then the outbox is on PostgreSQL.
final class OutboxHarness: Sendable {
  let server: MockServer
  private let temporary = TemporaryFolder(isOnDisk: true)
  /// The outbox creates it.
  var folder: URL { temporary.url }
  private let schema = "s\(UInt64.random(in: 0...(.max)))"

  init() throws { server = try MockServer() }

  /// A configuration with a short backoff and without reachability.
  var configuration: OutboxConfiguration {
    var configuration = OutboxConfiguration()
    configuration.delivery.backoff = .milliseconds(20)
    configuration.delivery.maxBackoff = .milliseconds(200)
    configuration.reachability = nil
    return configuration
  }

  func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> Client {
    var configuration = ClientConfiguration()
    configuration.timeout = .seconds(5)
    change(&configuration)
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  /// - Parameter time: The time of the store; nil for the clock.
  func outbox(
    _ client: Client? = nil, _ change: (inout OutboxConfiguration) -> Void = { _ in },
    time: (@Sendable () -> StoreTime)? = nil
  ) async throws -> Outbox {
    var configuration = configuration
    change(&configuration)
    #if Postgres
      if Self.isOnPostgres {
        return try await Outbox(
          store: postgresStore(time), client: client ?? self.client(), configuration: configuration)
      }
    #endif
    var setup = StoreSetup()
    if let time { setup.time = time }
    return try await Outbox(
      at: folder, client: client ?? self.client(), configuration: configuration, setup: setup)
  }

  #if Postgres
    static let isOnPostgres = ProcessInfo.processInfo.environment["ERRAND_TEST_STORE"] == "postgres"

    /// A store on a dedicated schema of the harness.
    private func postgresStore(_ time: (@Sendable () -> StoreTime)?) async throws -> PostgresOutboxStore {
      var settings = PostgresSettings()
      settings.schema = schema
      settings.connections = 2
      if let time {
        settings.time = {
          let now = time()
          return (now.ticks, now.wall)
        }
      }
      return try await PostgresOutboxStore(try await PostgresCluster.shared().url(), settings: settings)
    }
  #endif

  /// Returns the idempotency keys that the server received at the path, in order.
  func keys(_ path: String = "/") -> [String] {
    server.requests.filter { $0.path == path }.map { $0.fields["Idempotency-Key"] ?? "none" }
  }
}

extension OutboxOutcome {
  var response: OutboxResponse? {
    if case .delivered(let response) = self { response } else { nil }
  }
}
