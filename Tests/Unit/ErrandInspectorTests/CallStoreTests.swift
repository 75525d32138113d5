import ErrandCore
import ErrandObservability
import ErrandTesting
import Foundation
import Testing

@testable import ErrandInspector

/// An inspector's memory is bounded, whatever calls do and servers send.
@Suite(.timeLimit(.minutes(1))) struct CallStoreTests {
  private func watched(
    calls: Int = 1000, bodies: Int = 100_000, bodyLength: Int = 1000,
    _ handler: @escaping StubTransport.Handler
  ) -> (client: Client, listener: StoreListener) {
    var limits = Inspector.Limits()
    (limits.calls, limits.bodies, limits.bodyLength) = (calls, bodies, bodyLength)
    let store = Locked(CallStore(limits))
    let listener = StoreListener(store, bodyLimit: bodyLength)
    var configuration = ClientConfiguration()
    configuration.listeners = [listener]
    configuration.limits = ConcurrencyLimits(total: 1000, perOrigin: 1000)
    configuration.retry.backoff = .zero
    configuration.retryBudget = RetryBudget(ratio: 1, minimumPerSecond: 100_000)
    return (Client(transport: StubTransport(handler), configuration: configuration), listener)
  }

  @Test func `the total size of bodies is limited, in whatever order calls end`() async throws {
    let gates = (0..<40).map { _ in StubGate() }
    let (client, listener) = watched(bodies: 5000) { request in
      .response(body: String(repeating: "x", count: 1000))
        .behind(gates[Int(request.url.lastPathComponent) ?? 0])
    }
    let calls = gates.indices.map { client.start(.get("http://a.test/\($0)")) }
    for (call, gate) in zip(calls, gates).reversed() {
      gate.open()
      _ = try await call.value
      let held = listener.store.withLock { $0.calls }.compactMap(\.received).reduce(0) { $0 + $1.count }
      #expect(held <= 5000)
      #expect(listener.store.withLock { $0.bytes } <= 5000)
    }
    let withBodies = listener.store.withLock { $0.calls }.filter { $0.received != nil }.map(\.request.url)
    #expect(withBodies.contains("http://a.test/0"), "the newest body is kept")
  }

  @Test func `long header fields and URLs count, too`() async throws {
    let (client, listener) = watched(bodies: 200_000) { _ in
      .response(fields: ["X-Long": String(repeating: "f", count: 20_000)])
    }
    let query = String(repeating: "q", count: 5000)
    for number in 0..<50 { try await client.send(.get("http://a.test/\(number)?\(query)")) }
    let calls = listener.store.withLock { $0.calls }
    #expect(calls.count == 50)
    let fields = calls.flatMap(\.exchanges).compactMap(\.response).flatMap {
      $0.fields.map(\.value.utf8.count)
    }
    #expect(fields.reduce(0, +) <= 200_000)
    #expect(fields.contains(20_000), "the newest ones are kept")
    #expect(calls.allSatisfy { $0.status == 200 })
  }

  @Test func `a page is notified of each removed call, or of all remaining ones`() async throws {
    let (client, listener) = watched(calls: 10) { _ in .response() }
    var known: Set<UInt64> = []
    // Pages that are notified after each call, after a few, and after more calls than the store holds.
    for count in [1, 1, 5, 15, 20, 21, 22, 1, 100, 3] {
      for _ in 0..<count { try await client.send(.get("http://a.test/")) }
      switch listener.store.withLock({ $0.takeChanges(1000) }) {
      case .all(let calls): known = Set(calls.map(\.id))
      case .some(let changed, let gone): known = known.union(changed.map(\.id)).subtracting(gone)
      }
      #expect(known == Set(listener.store.withLock { $0.calls }.map(\.id)), "after \(count)")
    }
  }

  @Test func `a step that has not ended is shown with its attempt`() async throws {
    let (client, listener) = watched { $0.index == 0 ? .response(status: 503) : .stall }
    var policy = RetryPolicy.attempts(2)
    policy.backoff = .zero
    let call = client.start(.get("http://a.test/").retry(policy))
    while listener.store.withLock({ $0.calls }).first?.attempts != 2 { await Task.yield() }
    let running = try #require(listener.store.withLock { $0.calls }.first).timeline
    #expect(running.present?.step == .firstByte)
    #expect(running.present?.attempt == 2)
    let row = CallRow(try #require(listener.store.withLock { $0.calls }.first))
    #expect(row.spans.count == running.spans.count + 1)
    #expect(row.spans.last?.end == nil)
    call.cancel()
    _ = await call.result
    #expect(listener.store.withLock { $0.calls }.first?.timeline.present == nil)
  }

  @Test func `a request that is sent again within its attempt is counted`() async throws {
    let (client, listener) = watched { request in
      switch request.index {
      case 0:
        throw RequestError(.connectionLost, message: "closed", reachedServer: false, resend: .unprocessed)
      case 1: .response(status: 503)
      default: .response()
      }
    }
    try await client.send(.get("http://a.test/"))
    #expect(listener.store.withLock { $0.calls }.first?.attempts == 3)
    let (other, last) = watched { request in
      guard request.index == 0 else { return .response() }
      throw RequestError(.connectionLost, message: "closed", reachedServer: false, resend: .unprocessed)
    }
    try await other.send(.post("http://a.test/"))
    #expect(last.store.withLock { $0.calls }.first?.attempts == 2)
  }

  @Test func `the last attempts of a call with many are kept`() async throws {
    let (client, listener) = watched { _ in .response(status: 503) }
    var policy = RetryPolicy.attempts(1000)
    policy.backoff = .zero
    _ = try? await client.send(.get("http://a.test/").retry(policy))
    let call = try #require(listener.store.withLock { $0.calls }.first)
    #expect(call.attempts == 1000)
    #expect(call.exchanges.count <= 100)
    #expect(call.exchanges.last?.attempt == 1000)
    #expect(call.timeline.spans.count <= 500)
    #expect(call.timeline.spans.last?.attempt == 1000)
  }
}

/// Passes events to a store.
final class StoreListener: BodyListener {
  let store: Locked<CallStore>
  let bodyLimit: Int

  init(_ store: consuming Locked<CallStore>, bodyLimit: Int) {
    self.store = store
    self.bodyLimit = bodyLimit
  }

  func record(_ event: CallEvent) { store.withLock { $0.take(event) } }
}
