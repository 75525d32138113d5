import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandInspector

/// Searches and changes of an outbox, as the page asks for them.
@Suite(.timeLimit(.minutes(1))) struct OutboxConsoleTests {
  private let folder: TemporaryFolder
  private let outbox: Outbox
  private let console: OutboxConsole

  init() async throws {
    folder = try TemporaryFolder()
    var configuration = OutboxConfiguration()
    configuration.delivers = false
    outbox = try await Outbox(
      at: folder.file("outbox"), client: Client(transport: StubTransport { _ in .response() }),
      configuration: configuration)
    for number in 1...12 {
      try await outbox.enqueue(.post("http://a.test/\(number % 4)/\(number)"))
    }
    console = OutboxConsole(outbox, searchStep: 2, mostSearched: 4)
  }

  private func count() async throws -> Int { try await outbox.statistics().counts[.stored, default: 0] }

  /// Waits until no change is left.
  private func settle() async throws {
    try await waitUntil { console.pending.allSatisfy { $0.done == nil || $0.failure != nil } }
  }

  @Test(arguments: [1, 2, 3, 5, 12, 20])
  func `pages follow each other to the last request, with and without a filter`(limit: Int) async throws {
    for (filter, all) in [(OutboxFilter(), 12), (OutboxFilter(text: "test/1/"), 3)] {
      var urls: [String] = []
      var after: Int64? = 0
      while let start = after {
        let page = try await console.page(filter, after: start, limit: limit)
        #expect(page.rows.count <= limit && page.searched <= max(4, limit + 1) + 1)
        #expect(page.isCut || page.next == nil || page.rows.count == limit)
        urls += page.rows.map(\.url)
        after = page.next
      }
      #expect(urls.count == all && Set(urls).count == all)
    }
  }

  @Test func `requests are counted in parts`() async throws {
    let filter = OutboxFilter(state: .stored, text: "test/1/")
    let first = try await console.count(filter, after: 0)
    #expect(first.count == 1 && first.next == 4)
    let rest = try await console.count(filter, after: 4)
    #expect(rest.count == 1 && rest.next == 8)
    #expect(try await console.count(OutboxFilter(state: .stored), after: 0).count == 12)
  }

  @Test func `a change of all that match leaves what came after the question`() async throws {
    let filter = OutboxFilter(
      state: .stored, text: "test/1/",
      asked: try await console.count(OutboxFilter(state: .stored), after: 0).at)
    let earlier = OutboxFilter(state: .stored, asked: 0)
    try await console.take(InspectorAction(name: "drop", filter: earlier, count: 12))
    try await console.take(InspectorAction(name: "now", pending: 1))
    try await settle()
    #expect(try await count() == 12)
    try await console.take(InspectorAction(name: "undo", pending: 1))
    try await console.take(InspectorAction(name: "drop", filter: filter, count: 3))
    #expect(try await count() == 12)
    try await console.take(InspectorAction(name: "now", pending: 2))
    try await settle()
    #expect(try await count() == 9)
  }

  @Test func `a request that has left its state is not changed`() async throws {
    let id = try #require(try await console.page(OutboxFilter(), after: 0, limit: 1).rows.first).id
    let dead = OutboxFilter(state: .deadLettered)
    try await console.take(InspectorAction(name: "drop", ids: [id], filter: dead, count: 1))
    try await console.take(InspectorAction(name: "now", pending: 1))
    try await settle()
    #expect(try await count() == 12 && console.pending.count == 1)
    await #expect(throws: Inspector.Failure.self) {
      try await console.take(InspectorAction(name: "drop", ids: [id], count: 1))
    }
  }

  @Test func `a second change of the same requests is refused`() async throws {
    let drop = InspectorAction(name: "drop", filter: OutboxFilter(state: .stored), count: 12)
    try await console.take(drop)
    await #expect(throws: Inspector.Failure.self) { try await console.take(drop) }
    #expect(console.pending.count == 1)
  }

  @Test func `what has not begun is forgotten`() async throws {
    try await console.take(InspectorAction(name: "drop", filter: OutboxFilter(state: .stored), count: 12))
    console.forgetPending()
    console.beginDue()
    #expect(console.pending.isEmpty)
    #expect(try await count() == 12)
  }

  @Test func `details of a request and its response show no secrets`() async throws {
    let client = Client(
      transport: StubTransport { _ in .response(status: 400, fields: ["Set-Cookie": "id=s3cret", "X-A": "b"])
      })
    let outbox = try await Outbox(at: folder.file("other"), client: client)
    let request = Request.post(
      "http://a.test/", .text(#"{"password":"s3cret"}"#, contentType: "application/json"))
    let receipt = try await outbox.enqueue(request)
    try await outbox.waitUntilEmpty()
    let details = try #require(try await OutboxConsole(outbox).details(of: receipt.id))
    let shown = String(decoding: ServerEvent.json(details), as: UTF8.self)
    #expect(shown.contains("X-A") && !shown.contains("s3cret"))
    #expect(details.response?.status == 400 && details.row.state == "dead-letter")
    await outbox.close()
  }

  @Test func `a change that fails says why`() async throws {
    try await console.take(InspectorAction(name: "drop", filter: OutboxFilter(state: .stored), count: 12))
    await outbox.close()
    try await console.take(InspectorAction(name: "now", pending: 1))
    try await settle()
    #expect(console.pending.map(\.failure) == ["It failed: the outbox is closed"])
    try await console.take(InspectorAction(name: "undo", pending: 1))
    #expect(console.pending.isEmpty)
  }
}
