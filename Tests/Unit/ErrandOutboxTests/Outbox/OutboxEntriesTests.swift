import ErrandCore
import ErrandOutbox
import ErrandTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct OutboxEntriesTests {
  private let harness: OutboxHarness

  init() throws { harness = try OutboxHarness() }

  @Test(arguments: [1, 3, 7, 100])
  func `all entries of a selection are returned, in order, for any page size`(size: Int) async throws {
    let outbox = try await harness.outbox { $0.delivers = false }
    let requests = (0..<7).map { Request.post(harness.server.url("/"), .text("\($0)")) }
    let receipts = try await outbox.enqueue(requests, lane: "a")
    try await outbox.enqueue(.post(harness.server.url("/"), .text("other")), lane: "b")
    let selection = OutboxSelection(lane: .named("a"))
    var found: [OutboxEntry] = []
    for try await entry in outbox.entries(selection, pageSize: size) { found.append(entry) }
    #expect(found.map(\.id) == receipts.map(\.id))
    let rest = outbox.entries(selection, after: found[4].sequence, pageSize: size)
    #expect(try await rest.reduce(into: []) { $0.append($1.id) } == receipts.suffix(2).map(\.id))
    await outbox.close()
  }
}
