import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

/// Requests whose ids the outbox knows, and requests for later.
@Suite(.timeLimit(.minutes(1))) struct ReplacingTests {
  private let harness: OutboxHarness
  private var server: MockServer { harness.server }
  private let id = OutboxID(rawValue: "draft")

  init() throws {
    harness = try OutboxHarness()
    server.on("/") { _ in .response() }
  }

  private func draft(_ text: String, _ ifKnown: IfKnown) -> OutboxItem {
    OutboxItem(.put(server.url("/"), .text(text)), lane: "drafts", id: id, ifKnown: ifKnown)
  }

  @Test func `only the last of several changes to one document is sent, at the place of the first`()
    async throws
  {
    let outbox = try await harness.outbox { $0.delivers = false }
    let first = try await outbox.enqueue(draft("one", .replace))
    try await outbox.enqueue(.put(server.url("/"), .text("behind")), lane: "drafts")
    let large = String(repeating: "two ", count: 100_000)
    _ = try await outbox.enqueue(draft(large, .replace))
    let last = try await outbox.enqueue(draft("three", .replace))
    #expect(first.isNew && last.isNew)
    let key = try await outbox.status(of: id)?.idempotencyKey
    // The large body of the second one is gone.
    #expect(try FileManager.default.contentsOfDirectory(atPath: harness.folder.path + "/files") == [])
    outbox.deliver()
    #expect(try await first.outcome().response != nil)
    #expect(try await last.outcome().response != nil)
    try await outbox.waitUntilEmpty()
    #expect(server.requests.map(\.text) == ["three", "behind"])
    #expect(harness.keys()[0].contains(key ?? "none"))
    await outbox.close()
  }

  @Test func `a request that is being sent is not replaced, and a known one is refused or ignored`()
    async throws
  {
    let gate = ServerGate()
    server.on("/") { _ in
      gate.pass()
      return .response()
    }
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(draft("one", .replace))
    try await server.waitForRequests(1)
    let error = await #expect(throws: OutboxError.self) { try await outbox.enqueue(draft("two", .replace)) }
    #expect(error?.code == .known && error?.message.contains("attempting") == true)
    await #expect(throws: OutboxError.self) { try await outbox.enqueue(draft("two", .refuse)) }
    #expect(try await !outbox.enqueue(draft("two", .ignore)).isNew)
    gate.open()
    #expect(try await receipt.outcome().response != nil)
    let over = await #expect(throws: OutboxError.self) { try await outbox.enqueue(draft("two", .replace)) }
    #expect(over?.code == .known && over?.message.contains("delivered") == true)
    #expect(server.requests.map(\.text) == ["one"])
    await outbox.close()
  }

  @Test func `a dead letter that is replaced is sent, and its receipt says so`() async throws {
    server.on("/") { $0.text == "bad" ? .response(status: 422) : .response() }
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(draft("bad", .ignore))
    guard case .deadLettered = try await receipt.outcome() else {
      Issue.record("it did not become a dead letter")
      return
    }
    let newer = try await outbox.enqueue(draft("good", .replace))
    #expect(try await newer.outcome().response != nil)
    #expect(try await receipt.outcome().response != nil)
    #expect(server.requests.map(\.text) == ["bad", "good"])
    await outbox.close()
  }

  @Test func `a request is not sent before its time, even after an export`() async throws {
    let now = Date()
    let outbox = try await harness.outbox { $0.delivers = false }
    let later = now.addingTimeInterval(3600)
    let receipt = try await outbox.enqueue(.post(server.url("/")), notBefore: later)
    let past = try await outbox.enqueue(.post(server.url("/")), notBefore: now.addingTimeInterval(-3600))
    let entry = try #require(try await receipt.status())
    #expect(abs(try #require(entry.nextAttempt).timeIntervalSince(later)) < 0.01)
    let lines = try await outbox.exportedLines()
    outbox.deliver()
    #expect(try await past.outcome().response != nil)
    try await outbox.waitUntilIdle()
    #expect(server.requests.count == 1)
    try await outbox.retry(OutboxSelection(ids: [receipt.id]))
    #expect(try await receipt.outcome().response != nil)
    await outbox.close()
    let other = try OutboxHarness()
    let copy = try await other.outbox { $0.delivers = false }
    try await copy.import(lines: lines)
    let due = try await copy.status(of: receipt.id)?.nextAttempt
    #expect(abs(try #require(due).timeIntervalSince(later)) < 0.01)
    await copy.close()
  }

  @Test func `one request with an id is stored once`() async throws {
    let outbox = try await harness.outbox { $0.delivers = false }
    let first = try await outbox.enqueue(.post(server.url("/")), lane: "l", id: id)
    let second = try await outbox.enqueue(.post(server.url("/")), lane: "l", id: id)
    #expect(first.isNew && !second.isNew && second.id == id)
    #expect(try await outbox.statistics().counts[.stored] == 1)
    await outbox.close()
  }
}
