import Errand
import ErrandCurl
import ErrandOutboxPostgres
import Foundation

/// Sends webhooks: each is stored first, and then attempted until its customer accepts it.
struct Sender: Sendable {
  let customers: Customers
  let client: Client
  let outbox: Outbox

  /// - Parameters:
  ///   - store: A folder, or the URL of a PostgreSQL database that several workers share.
  ///   - delivers: False for a program that only stores, and ends.
  ///   - addresses: Customers choose the URLs, so by default none may lead into this network.
  init(
    store: String, customers: Customers, delivers: Bool, addresses: AddressPolicy = .publicOnly
  ) async throws {
    var connections = CurlConfiguration()
    connections.addressPolicy = addresses
    connections.proxy = .none
    var options = ClientConfiguration()
    options.collectsMetrics = true
    options.attemptInterceptors = [CustomerSignature(customers: customers)]
    client = Client(transport: CurlTransport(configuration: connections), configuration: options)

    var settings = OutboxConfiguration()
    settings.delivers = delivers
    // A customer whose server is slow or down does not delay the others.
    settings.perKey = 2
    settings.rateLimitOf = { _, _ in RateLimit(requests: 20, per: .seconds(1), burst: 20) }
    settings.lifetime = .seconds(3 * 86_400)
    settings.delivery.maxAttempts = 20
    if store.hasPrefix("postgres") {
      outbox = try await Outbox(store: PostgresOutboxStore(store), client: client, configuration: settings)
    } else {
      outbox = try await Outbox(at: URL(filePath: store), client: client, configuration: settings)
    }
    self.customers = customers
  }

  /// Stores an event for a customer. Events with the same ID are sent once.
  func send(_ event: Data, id: String, to name: String) async throws -> Receipt {
    let request = Request.post(try customers[name].url, .bytes(event, contentType: "application/json"))
      .field(CustomerSignature.field, name).idempotencyKey(id)
    return try await outbox.enqueue(
      OutboxItem(request, lane: name, key: name, id: OutboxID(rawValue: "\(name)/\(id)")))
  }

  /// The webhooks that were given up, with the reason.
  func failed() async throws -> [OutboxEntry] {
    try await outbox.list(OutboxSelection(states: [.deadLettered, .expired]), limit: 1000)
  }

  func close() async {
    await outbox.close(within: .seconds(10))
    await client.shutdown(within: .seconds(1))
  }
}
