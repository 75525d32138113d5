import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite(.timeLimit(.minutes(1))) struct HeldTests {
  private let harness: OutboxHarness

  init() throws { harness = try OutboxHarness() }

  @Test func `an outbox is held if it is paused, or if every lane with requests is`() async throws {
    let outbox = try await harness.outbox { $0.delivers = false }
    #expect(try await !outbox.statistics().isHeld)
    try await outbox.enqueue(.post(harness.server.url("/")), lane: "a")
    #expect(try await !outbox.statistics().isHeld)
    try await outbox.pause()
    #expect(try await outbox.statistics().isHeld)
    try await outbox.resume()
    try await outbox.pause(lane: "a")
    #expect(try await outbox.statistics().isHeld)
    try await outbox.enqueue(.post(harness.server.url("/")), lane: "b")
    #expect(try await !outbox.statistics().isHeld)
    await outbox.close()
  }

  @Test func `a request behind a blocking dead letter is held, and a request that is due later is not`()
    async throws
  {
    harness.server.on("/bad") { _ in .response(status: 400) }
    harness.server.on("/later") { _ in .response(status: 503, fields: ["Retry-After": "3600"]) }
    let outbox = try await harness.outbox { $0.lanes = .block }
    let bad = try await outbox.enqueue(.post(harness.server.url("/bad")), lane: "a")
    try await outbox.enqueue(.post(harness.server.url("/later")), lane: "a")
    _ = try await bad.outcome()
    #expect(try await outbox.statistics().isHeld)
    let later = try await outbox.enqueue(.post(harness.server.url("/later")), lane: "b")
    for await event in later.events { if case .failed = event.step { break } }
    #expect(try await !outbox.statistics().isHeld)
    await outbox.close()
  }

  @Test func `the changes of an outbox include those of other processes`() async throws {
    let watcher = try await harness.outbox { $0.delivers = false }
    let writer = try await harness.outbox { $0.delivers = false }
    var writes = 0
    for await _ in watcher.changes {
      let count = try await watcher.statistics().counts[.stored, default: 0]
      if count == 2 { break }
      if writes < 2 { try await writer.enqueue(.post(harness.server.url("/"))) }
      writes += 1
    }
    #expect(writes >= 2)
    await watcher.close()
    await writer.close()
  }
}
