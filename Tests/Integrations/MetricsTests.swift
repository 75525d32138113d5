import CoreMetrics
import Errand
import ErrandMetrics
import ErrandTesting
import Foundation
import Synchronization

/// Stores what is counted and timed, by label and dimensions.
private final class StoringFactory: MetricsFactory {
  static let shared: StoringFactory = {
    let factory = StoringFactory()
    MetricsSystem.bootstrap(factory)
    return factory
  }()

  private let state = Mutex<(counts: [String: Int64], timers: [String: Int])>(([:], [:]))

  /// The number of times, by dimensions.
  var timers: [String: Int] { state.withLock { $0.timers } }

  func reset() { state.withLock { $0 = ([:], [:]) } }

  func count(_ key: String) -> Int64 { state.withLock { $0.counts[key] ?? 0 } }

  private static func key(_ label: String, _ dimensions: [(String, String)]) -> String {
    "\(label) \(dimensions.map { "\($0.0)=\($0.1)" }.sorted().joined(separator: " "))"
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    Handler { amount in
      self.state.withLock { $0.counts[Self.key(label, dimensions), default: 0] += amount }
    }
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    Handler { _ in self.state.withLock { $0.timers[Self.key(label, dimensions), default: 0] += 1 } }
  }

  private final class Handler: CounterHandler, TimerHandler {
    private let take: @Sendable (Int64) -> Void

    init(_ take: @escaping @Sendable (Int64) -> Void) { self.take = take }

    func increment(by amount: Int64) { take(amount) }
    func reset() {}
    func recordNanoseconds(_ duration: Int64) { take(duration) }
  }
}

/// Returns a client that records metrics, which begin at 0.
private func client(
  _ metrics: SwiftMetrics, _ stub: StubTransport, _ change: (inout ClientConfiguration) -> Void = { _ in }
) -> Client {
  StoringFactory.shared.reset()
  var configuration = ClientConfiguration()
  configuration.retry.backoff = .zero
  configuration.listeners.append(metrics)
  configuration.tracing = .measuring(metrics)
  change(&configuration)
  return Client(transport: stub, configuration: configuration)
}

/// Reports each call that shares a request.
private struct Sharing: EventListener {
  let continuation: AsyncStream<Void>.Continuation

  func record(_ event: CallEvent) {
    if case .coalesced = event.kind { continuation.yield() }
  }
}

let metricsTests = [
  IntegrationTest("calls, attempts and retries are counted, and requests are timed") {
    _ = StoringFactory.shared
    let stub = StubTransport([.response(status: 503), .response()])
    let client = client(SwiftMetrics(), stub)
    try await client.send(.get("https://a.test:8443/users/7?q=secret"))
    let factory = StoringFactory.shared
    expectEqual(factory.count("errand_calls_total outcome=finished"), 1)
    expectEqual(factory.count("errand_attempts_total "), 2)
    expectEqual(factory.count("errand_retries_total "), 1)
    expectEqual(factory.timers.count, 2)
    let server =
      "http.request.method=GET http.response.status_code=200 network.protocol.version=1.1"
      + " server.address=a.test server.port=8443 url.scheme=https"
    expectEqual(factory.timers["http.client.request.duration \(server)"], 1)
    expect(stub.requests.allSatisfy { $0.fields["traceparent"] == nil })
  },
  IntegrationTest("a shared request counts as the client's own metrics count it") {
    _ = StoringFactory.shared
    let gate = StubGate()
    let stub = StubTransport([.response().behind(gate)])
    let (shared, sharing) = AsyncStream<Void>.makeStream()
    let client = client(SwiftMetrics(), stub) { $0.listeners.append(Sharing(continuation: sharing)) }
    let request = Request.get("https://a.test/").shared()
    let calls = (0..<10).map { _ in client.start(request) }
    var shares = shared.makeAsyncIterator()
    for _ in calls { await shares.next() }
    gate.open()
    for call in calls { _ = try await call.value }
    await client.shutdown()
    let factory = StoringFactory.shared
    expectEqual(factory.count("errand_calls_total outcome=finished"), 10)
    expectEqual(factory.count("errand_attempts_total "), 1)
    expectEqual(factory.count("errand_coalesced_total "), 9)
  },
  IntegrationTest("servers beyond the first hundred, and further timers, are counted as other") {
    _ = StoringFactory.shared
    let client = client(SwiftMetrics(), StubTransport([.response()]))
    for number in 0..<150 { try await client.send(.get("https://a\(number).test/")) }
    let names = StoringFactory.shared.timers.filter { $0.key.contains("server.address=other") }
    expectEqual(names.values.reduce(0, +), 50)
    expectEqual(StoringFactory.shared.timers.count, 101)

    let small = ErrandMetricsClient.small()
    for status in 400..<420 { try await small.send(.get("https://a.test/\(status)").acceptingAnyStatus()) }
    expectEqual(StoringFactory.shared.timers.count, 6)
  },
]

private enum ErrandMetricsClient {
  /// Returns a client with at most five timers, whose responses have the status in their path.
  static func small() -> Client {
    client(
      SwiftMetrics(limit: 5),
      StubTransport { .response(status: Int($0.url.lastPathComponent) ?? 200) })
  }
}
