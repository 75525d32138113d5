import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite(.timeLimit(.minutes(1))) struct HeldTests {
  private let lab: OutboxLab

  init() throws { lab = try OutboxLab() }

  @Test func `what is paused is held, all of it or the last lane`() async throws {
    let outbox = try await lab.outbox { $0.delivers = false }
    #expect(try await !outbox.statistics().isHeld)
    try await outbox.enqueue(.post(lab.server.url("/")), lane: "a")
    #expect(try await !outbox.statistics().isHeld)
    try await outbox.pause()
    #expect(try await outbox.statistics().isHeld)
    try await outbox.resume()
    try await outbox.pause(lane: "a")
    #expect(try await outbox.statistics().isHeld)
    try await outbox.enqueue(.post(lab.server.url("/")), lane: "b")
    #expect(try await !outbox.statistics().isHeld)
    await outbox.close()
  }

  @Test func `what is behind a request that holds its lane is held, what is due later is not`() async throws {
    lab.server.on("/bad") { _ in .answer(status: 400) }
    lab.server.on("/later") { _ in .answer(status: 503, fields: ["Retry-After": "3600"]) }
    let outbox = try await lab.outbox { $0.lanes = .hold }
    let bad = try await outbox.enqueue(.post(lab.server.url("/bad")), lane: "a")
    try await outbox.enqueue(.post(lab.server.url("/later")), lane: "a")
    _ = try await bad.outcome()
    #expect(try await outbox.statistics().isHeld)
    let later = try await outbox.enqueue(.post(lab.server.url("/later")), lane: "b")
    for await event in later.events { if case .failed = event.step { break } }
    #expect(try await !outbox.statistics().isHeld)
    await outbox.close()
  }

  @Test func `changes tell of what others do`() async throws {
    let watcher = try await lab.outbox { $0.delivers = false }
    let writer = try await lab.outbox { $0.delivers = false }
    var writes = 0
    for await _ in watcher.changes {
      let count = try await watcher.statistics().counts[.stored, default: 0]
      if count == 2 { break }
      if writes < 2 { try await writer.enqueue(.post(lab.server.url("/"))) }
      writes += 1
    }
    #expect(writes >= 2)
    await watcher.close()
    await writer.close()
  }
}
