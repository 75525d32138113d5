import Errand
import ErrandTesting
import Foundation

/// A service that accepts orders and forwards them to another one. An accepted order arrives even if this
/// process, the other service or the network fails.
///
///     swift run Orders            # forwards the orders to a local server that often fails
///     swift run Orders URL
///
/// It accepts an order every 0.2 s. SIGTERM or control-C ends it cleanly, and kill -9 loses no order either.
/// The next run delivers the remaining orders.
@main struct Orders {
  static func main() async throws {
    let server = CommandLine.arguments.count > 1 ? nil : try MoodyServer()
    let url = server?.url ?? CommandLine.arguments[1]

    var configuration = ClientConfiguration()
    // This adds the credentials to each attempt, so that they are never stored.
    configuration.attemptInterceptors = [Credentials(token: "secret")]
    let client = Client(configuration: configuration)

    var settings = OutboxConfiguration()
    settings.lifetime = .seconds(86_400)
    settings.caps.count = 10_000
    settings.onStoreFailure = { print("The outbox: \($0)") }
    let folder = URL.temporaryDirectory.appending(path: "errand-orders")
    let outbox = try await Outbox(at: folder, client: client, configuration: settings)

    let left = try await outbox.statistics().counts
    print(
      "Left from earlier runs: \(left[.stored, default: 0]) orders, \(left[.deadLettered, default: 0]) dead letters"
    )
    let log = Task { await report(outbox.events) }
    let signal = try await untilSignal { try await takeOrders(url, outbox) }
    print("Signal \(signal ?? 0): accepting no more orders.")
    // Attempts in flight get 5 s to end. All other orders stay stored.
    await outbox.close(within: .seconds(5))
    await client.shutdown(within: .seconds(1))
    await log.value
    print("Closed.")
  }

  static func takeOrders(_ url: String, _ outbox: Outbox) async throws {
    for number in 1... {
      let customer = ["anna", "ben", "cleo"][number % 3]
      let order = Order(customer: customer, article: number % 7 == 0 ? "a unicorn" : "\(number) apples")
      // The orders of one customer arrive in order. Customers do not wait for each other.
      let receipt = try await outbox.enqueue(.post(url, json: order), lane: "customer/\(customer)")
      print("\(receipt.id) \(customer): accepted, \(order.article)")
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  static func report(_ events: AsyncStream<OutboxEvent>) async {
    for await event in events {
      let customer = event.lane?.dropFirst("customer/".count) ?? ""
      let step: String? =
        switch event.step {
        case .delivered(let response): "delivered, \(response.status)"
        case .failed(let reason, let next): "failed: \(reason); next attempt at \(next)"
        case .deadLettered(let reason, _): "dead letter: \(reason)"
        case .expired, .dropped: "given up"
        case .stored, .attempting: nil
        }
      if let step { print("\(event.id) \(customer): \(step)") }
    }
  }
}

struct Order: Codable {
  var customer: String
  var article: String
}

struct Credentials: Interceptor {
  let token: String

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    try await next(request.bearer(token))
  }
}

/// A server that accepts orders, but rejects every third attempt as busy, and all orders of unicorns.
struct MoodyServer {
  private let server: MockServer

  var url: String { server.url("/orders").absoluteString }

  init() throws {
    // The port is fixed, because the stored orders of earlier runs have the URL.
    server = try MockServer(port: 8371)
    server.on("POST", "/orders") { request in
      if request.index % 3 == 2 { return .response(status: 503, fields: ["Retry-After": "1"]) }
      guard request.fields["Authorization"] == "Bearer secret" else { return .response(status: 401) }
      if request.text.contains("unicorn") {
        return .response(status: 422, body: "unicorns are not available")
      }
      return .response(status: 201)
    }
  }
}
