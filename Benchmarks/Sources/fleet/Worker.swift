import BenchmarkSupport
import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxPostgres
import ErrandOutboxSQLite
import Foundation

/// A process that delivers from a database until no request is left.
struct Worker {
  static let concurrency = 64

  let store: String

  func run() async throws {
    let client = Self.client
    let outbox = try await Outbox(
      store: PostgresOutboxStore(store), client: client, configuration: Self.configuration)
    try await outbox.waitUntilEmpty()
    await outbox.close()
    await client.shutdown()
    print(ProcessUsage.cpuSeconds)
  }

  static var client: Client {
    let client = Client(transport: CurlTransport())
    client.limits = .unlimited
    return client
  }

  static var configuration: OutboxConfiguration {
    var configuration = OutboxConfiguration()
    configuration.concurrency = concurrency
    configuration.perOrigin = concurrency
    configuration.caps.bytes = nil
    return configuration
  }
}
