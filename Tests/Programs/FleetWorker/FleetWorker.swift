import ErrandCore
import ErrandCurl
import ErrandOutbox
import FleetCourse
import Foundation

#if Postgres
  import ErrandOutboxPostgres
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A process that delivers from a database.
final class FleetWorker: Sendable {
  private let orders: FleetOrders
  private let outbox = Locked<Outbox?>(nil)

  init(_ orders: FleetOrders) { self.orders = orders }

  /// Opens the outbox, as often as needed, because the database may be unavailable.
  func work() async {
    while outbox.withLock({ $0 == nil }) {
      do {
        let opened = try await open()
        outbox.withLock { $0 = opened }
        Self.say("open")
      } catch {
        Self.say("\(error)")
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
  }

  /// Ends without its parent, so that a killed course leaves no workers behind.
  func endWithParent() async {
    let parent = getppid()
    while getppid() == parent { try? await Task.sleep(for: .seconds(1)) }
    exit(1)
  }

  /// Gives its leases back.
  func end() async { await outbox.withLock { $0 }?.close() }

  private func open() async throws -> Outbox {
    #if Postgres
      var configuration = OutboxConfiguration()
      configuration.delivery.backoff = .milliseconds(50)
      configuration.delivery.maxBackoff = .seconds(1)
      configuration.delivery.maxAttempts = FleetOrders.maxAttempts
      configuration.lease = .milliseconds(orders.lease)
      configuration.concurrency = orders.concurrency
      configuration.pollInterval = .seconds(2)
      configuration.reachability = nil
      configuration.onStoreFailure = { Self.say("\($0)") }
      var settings = PostgresSettings()
      settings.absence = .milliseconds(orders.absence)
      return try await Outbox(
        store: PostgresOutboxStore(orders.store, settings: settings), client: client,
        configuration: configuration)
    #else
      throw OutboxError(.failed, "built without PostgreSQL")
    #endif
  }

  private var client: Client {
    var configuration = ClientConfiguration()
    configuration.timeout = .seconds(10)
    configuration.attemptInterceptors = [Signature()]
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  /// Writes a line without buffering, so that nothing is lost when the process is killed.
  static func say(_ line: String) {
    var bytes = Array((line + "\n").utf8)
    _ = write(1, &bytes, bytes.count)
  }
}

/// Adds the process's ID to each attempt.
private struct Signature: Interceptor {
  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    try await next(request.field(FleetRequest.senderField, "\(getpid())"))
  }
}
