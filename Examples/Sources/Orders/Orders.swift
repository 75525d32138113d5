import Dispatch
import Errand
import ErrandTesting
import Foundation

/// A service that takes orders and hands them to another one. An order that was taken arrives, whatever becomes
/// of this process, the other one, or the network.
///
///     swift run Orders            # hands them to a server of its own, which has its moods
///     swift run Orders URL
///
/// It takes an order every 0.2 s. SIGTERM or control-C ends it properly; kill -9 loses nothing either. What was
/// not delivered goes out when it is started again.
@main struct Orders {
  static func main() async throws {
    let server = CommandLine.arguments.count > 1 ? nil : try MoodyServer()
    let url = server?.url ?? CommandLine.arguments[1]

    var configuration = ClientConfiguration()
    // Credentials are added to each attempt, and never stored.
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
      "From before: \(left[.stored, default: 0]) orders; dead letters: \(left[.deadLettered, default: 0])")
    let log = Task { await report(outbox.events) }
    let orders = Task { try await takeOrders(url, outbox) }

    let signal = await firstSignal(of: [SIGTERM, SIGINT])
    print("Signal \(signal): taking no more orders.")
    orders.cancel()
    _ = await orders.result
    // Attempts under way may end; the rest is given back, and stored.
    await outbox.close(within: .seconds(5))
    await client.shutdown(within: .seconds(1))
    await log.value
    print("Closed.")
  }

  static func takeOrders(_ url: String, _ outbox: Outbox) async throws {
    for number in 1... {
      let customer = ["anna", "ben", "cleo"][number % 3]
      let order = Order(customer: customer, article: number % 7 == 0 ? "a unicorn" : "\(number) apples")
      // Orders of one customer arrive in their order. Customers do not wait for each other.
      let receipt = try await outbox.enqueue(.post(url, json: order), lane: "customer/\(customer)")
      print("\(receipt.id) \(customer): taken, \(order.article)")
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  static func report(_ events: AsyncStream<OutboxEvent>) async {
    for await event in events {
      let customer = event.lane?.dropFirst("customer/".count) ?? ""
      let step: String? =
        switch event.step {
        case .delivered(let response): "delivered, \(response.status)"
        case .failed(let reason, let next): "failed: \(reason); again at \(next)"
        case .deadLettered(let reason, _): "a dead letter: \(reason)"
        case .expired, .dropped: "over"
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

/// Waits for one of these signals, and returns its number. A second one ends the process as usual.
func firstSignal(of signals: [Int32]) async -> Int32 {
  let (seen, continuation) = AsyncStream.makeStream(of: Int32.self)
  let sources = signals.map { number in
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { continuation.yield(number) }
    source.resume()
    #if canImport(Darwin)
      signal(number, SIG_IGN)  // there the signal would end the process beside the source
    #endif
    return source
  }
  defer {
    for source in sources { source.cancel() }
  }
  for await number in seen { return number }
  return 0
}

/// Accepts orders, but every third attempt finds it busy, and there are no unicorns.
struct MoodyServer {
  private let server: MockServer

  var url: String { server.url("/orders").absoluteString }

  init() throws {
    // The same port each time, so that the orders of an earlier run find it.
    server = try MockServer(port: 8371)
    server.on("POST", "/orders") { request in
      if request.index % 3 == 2 { return .response(status: 503, fields: ["Retry-After": "1"]) }
      guard request.fields["Authorization"] == "Bearer secret" else { return .response(status: 401) }
      if request.text.contains("unicorn") { return .response(status: 422, body: "there are no unicorns") }
      return .response(status: 201)
    }
  }
}
