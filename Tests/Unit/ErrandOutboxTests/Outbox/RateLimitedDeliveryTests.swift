import ErrandCore
import ErrandOutboxSQLite
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

/// Rate limits of stored requests, over real connections and with several outboxes on one store.
@Suite(.timeLimit(.minutes(1))) struct RateLimitedDeliveryTests {
  private let harness: OutboxHarness

  init() throws {
    harness = try OutboxHarness()
    harness.server.otherwise { _ in .response() }
  }

  private func request(_ path: String) -> Request { .post(harness.server.url(path), .bytes(Data())) }

  @Test func `outboxes that share a store have one rate together`() async throws {
    let start = ContinuousClock.now
    let limit = RateLimit(requests: 100, per: .seconds(1), burst: 2)
    var outboxes: [Outbox] = []
    for _ in 0..<3 { outboxes.append(try await harness.outbox { $0.rateLimit = limit }) }
    let receipts = try await outboxes[0].enqueue((0..<32).map { request("/\($0)") })
    for receipt in receipts { #expect(try await receipt.outcome().response?.status == 200) }
    // After the burst, 30 requests come at intervals of 10 ms.
    #expect(ContinuousClock.now - start >= .milliseconds(300))
    #expect(Set(harness.server.requests.map(\.path)).count == 32 && harness.server.requests.count == 32)
    for receipt in receipts { #expect(try await receipt.status()?.attempts == 1) }
    for outbox in outboxes { await outbox.close() }
  }

  @Test func `a rate outlives the process`() async throws {
    let limit = RateLimit(requests: 1, per: .seconds(3600))
    let first = try await harness.outbox { $0.rateLimit = limit }
    _ = try await first.enqueue(request("/1")).outcome()
    let receipt = try await first.enqueue(request("/2"))
    await first.close()
    let second = try await harness.outbox { $0.rateLimit = limit }
    // The store decides before anything is sent.
    #expect(try await second.store.takePass(originName(second), limit).wait > .seconds(3500))
    #expect(try await second.status(of: receipt.id)?.state.isOpen == true)
    #expect(harness.server.requests.count == 1)
    await second.close()
  }

  private func originName(_ outbox: Outbox, key: String? = nil) -> String {
    outbox.storage.originName(of: OriginAddress(harness.server.url("/"), key: key))
  }

  @Test func `each key has its rate, and a limited origin delays no other`() async throws {
    let other = try MockServer()
    other.otherwise { _ in .response() }
    let outbox = try await harness.outbox { configuration in
      let limited = harness.server.url
      configuration.rateLimitOf = { url, key in
        guard url.port == limited.port else { return nil }
        return key == "free" ? .unlimited : RateLimit(requests: 1, per: .seconds(3600))
      }
    }
    let slow = try await outbox.enqueue((0..<20).map { request("/slow/\($0)") })
    let keyed = try await outbox.enqueue([
      OutboxItem(request("/a"), key: "a"), OutboxItem(request("/b"), key: "b"),
      OutboxItem(request("/c"), key: "free"),
      OutboxItem(request("/d"), key: "free"), OutboxItem(.post(other.url("/e"), .bytes(Data()))),
      OutboxItem(.post(other.url("/f"), .bytes(Data()))),
    ])
    for receipt in keyed { #expect(try await receipt.outcome().response?.status == 200) }
    _ = try await slow[0].outcome()
    try await waitUntil { try await outbox.statistics().counts[.attempting] ?? 0 == 0 }
    #expect(harness.server.requests.count { $0.path.hasPrefix("/slow") } == 1)
    await outbox.close()
  }

  @Test func `a request of a higher priority takes the next token`() async throws {
    // The time stands still while the requests are stored, however long that takes.
    let clock = VirtualClock()
    let outbox = try await harness.outbox {
      $0.rateLimit = RateLimit(requests: 1, per: .seconds(10))
      $0.clock = clock
    } time: {
      let now = 1000 + Int64(clock.now.offset / .milliseconds(1))
      return StoreTime(ticks: now, wall: 1_700_000_000_000 + now, boot: "boot")
    }
    _ = try await outbox.enqueue(request("/first")).outcome()
    _ = try await outbox.enqueue((0..<10).map { request("/later/\($0)") })
    let urgent = try await outbox.enqueue(request("/urgent"), priority: .userInitiated)
    try await waitUntil { try await outbox.statistics().counts[.attempting] ?? 0 == 0 }
    await clock.advance(by: .seconds(10))
    _ = try await urgent.outcome()
    #expect(harness.server.requests.map(\.path) == ["/first", "/urgent"])
    await outbox.close()
  }

  @Test func `a request of a higher priority comes next, also at five in a second`() async throws {
    let outbox = try await harness.outbox { $0.rateLimit = RateLimit(requests: 5, per: .seconds(1)) }
    _ = try await outbox.enqueue((0..<40).map { request("/\($0)") })
    try await waitUntil { harness.server.requests.count == 3 }
    #expect(try await outbox.statistics().counts[.attempting] ?? 0 <= 1)
    let urgent = try await outbox.enqueue(request("/urgent"), priority: .userInitiated)
    _ = try await urgent.outcome()
    // One request may have been sent before the urgent one was stored.
    let paths = harness.server.requests.map(\.path)
    #expect((paths.firstIndex(of: "/urgent") ?? 0) <= 4)
    #expect(paths.prefix(3) == ["/0", "/1", "/2"])
    await outbox.close()
  }

  @Test func `a request that waits for its rate has no event of an attempt`() async throws {
    let outbox = try await harness.outbox { $0.rateLimit = RateLimit(requests: 1, per: .seconds(3600)) }
    _ = try await outbox.enqueue(request("/1")).outcome()
    let receipt = try await outbox.enqueue(request("/2"))
    try await waitUntil { try await outbox.statistics().counts[.attempting] ?? 0 == 0 }
    await outbox.close()
    var steps: [OutboxEvent.Step] = []
    for await event in receipt.events { steps.append(event.step) }
    #expect(steps == [.stored])
  }
}
