import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// An outbox on a real file, and a real server to deliver to.
final class OutboxHarness: Sendable {
  let server: MockServer
  private let temporary = TemporaryFolder(isOnDisk: true)
  /// The outbox creates it.
  var folder: URL { temporary.url }

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

  /// - Parameter time: The time of the store.
  func outbox(
    _ client: Client? = nil, _ change: (inout OutboxConfiguration) -> Void = { _ in },
    time: @escaping @Sendable () -> StoreTime = { .now() }
  ) async throws -> Outbox {
    var configuration = configuration
    change(&configuration)
    var setup = StoreSetup()
    setup.time = time
    return try await Outbox(
      at: folder, client: client ?? self.client(), configuration: configuration, setup: setup)
  }

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
