import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

@Suite(.timeLimit(.minutes(1))) struct ReceiptTests {
  private let harness: OutboxHarness
  private var server: MockServer { harness.server }

  init() throws { harness = try OutboxHarness() }

  @Test func `a receipt of a retried dead letter ends as delivered, and its events continue`()
    async throws
  {
    server.script("/", [.response(status: 400), .response(status: 400), .response()])
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    for _ in 0..<2 {
      guard case .deadLettered = try await receipt.outcome() else {
        Issue.record("it did not become a dead letter")
        return
      }
      try await outbox.retry(OutboxSelection(ids: [receipt.id]))
    }
    #expect(try await receipt.outcome().response != nil)
    var steps: [String] = []
    for await event in receipt.events { steps.append("\(event.step)".prefix { $0.isLetter }.description) }
    #expect(
      steps == [
        "stored", "attempting", "deadLettered", "stored", "attempting", "deadLettered", "stored",
        "attempting", "delivered",
      ])
    await outbox.close()
  }

  @Test(.onlyOnSQLite) func `a receipt reports the outcome of a request that another process has retried`()
    async throws
  {
    server.script("/", [.response(status: 400), .response()])
    let outbox = try await harness.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    _ = try await receipt.outcome()
    // Like a process whose notifications do not arrive here.
    var setup = StoreSetup()
    setup.notifier = SilentChangeNotifier()
    let store = try await SQLiteOutboxStore(folder: harness.folder, setup: setup)
    let other = try await Outbox(
      store: store, folder: harness.folder, client: harness.client(), configuration: harness.configuration)
    try await other.retry(.all)
    try await other.waitUntilEmpty()
    #expect(try await receipt.outcome().response != nil)
    await other.close()
    await outbox.close()
  }

  @Test func `a step that was read earlier is not published after a later one, whatever its source`()
    async throws
  {
    let store = try await SQLiteOutboxStore(folder: harness.folder)
    let hub = EventHub(store, try StorageHarness().storage())
    let log = hub.log("a".outboxID)
    func row(_ state: OutboxState, _ reading: Int64) -> OutboxRow {
      var row = NewRow.sample("a").stored
      (row.state, row.reading) = (state, OutboxRow.Reading(reading))
      return row
    }
    log.begin(with: OutboxEvent(id: "a".outboxID, lane: nil, step: .stored, date: Date(milliseconds: 0)))
    #expect(hub.followed.map(\.id) == ["a".outboxID])
    hub.publish([row(.expired, 5)])
    hub.publish([row(.attempting, 3)], to: hub.followed)
    hub.publish([row(.stored, 4)])
    hub.publish([row(.expired, 6)], to: hub.followed)
    #expect(!log.isOver && log.steps == 1)
    hub.publish([row(.stored, 7)], to: hub.followed)
    #expect(log.steps == 2)
    hub.publish([row(.dropped, 8)], to: hub.followed)
    #expect(log.isOver && hub.followed.isEmpty)
  }

  @Test func `receipts say which of the enqueued requests are new`() async throws {
    let outbox = try await harness.outbox { $0.delivers = false }
    func item(_ id: String) -> OutboxItem {
      OutboxItem(.post(server.url("/\(id)")), id: OutboxID(rawValue: id))
    }
    #expect(try await outbox.enqueue([item("a"), item("b")]).map(\.isNew) == [true, true])
    let receipts = try await outbox.enqueue([item("c"), item("a"), item("d"), item("d")])
    #expect(receipts.map(\.isNew) == [true, false, true, false])
    #expect(try await outbox.enqueue(.post(server.url("/"))).isNew)
    #expect(try await outbox.receipt(for: "a".outboxID)?.isNew == false)
    await outbox.close()
  }

  @Test func `a receipt of an already delivered request reports that at once`() async throws {
    server.on("/a") { _ in .response(body: "thanks") }
    let outbox = try await harness.outbox()
    let item = OutboxItem(.post(server.url("/a")), id: "a".outboxID)
    #expect(try await outbox.enqueue([item])[0].outcome().response != nil)
    let again = try await outbox.enqueue([item])[0]
    #expect(!again.isNew)
    #expect(try await again.outcome().response?.body == Data("thanks".utf8))
    #expect(server.count("/a") == 1)
    await outbox.close()
  }

  @Test(.onlyOnSQLite, arguments: [false, true])
  func `a response that must not be stored is reported once, and is not on the disk`(isAsked: Bool)
    async throws
  {
    server.on("/") { _ in
      .response(
        status: 201,
        fields: isAsked ? ["X-Part": "n0where"] : ["Cache-Control": "no-store", "X-Part": "n0where"],
        body: "n0where")
    }
    let outbox = try await harness.outbox()
    var request = Request.post(server.url("/"))
    if isAsked { request = request.field("Cache-Control", "no-store") }
    let receipt = try await outbox.enqueue(request)
    let response = try #require(try await receipt.outcome().response)
    #expect(
      response.body == Data("n0where".utf8) && response.isWhole && response.fields["X-Part"] == "n0where")
    // The outcome is published just before the response is forgotten.
    await outbox.close()
    #expect(outbox.hub.unstored.withLock { $0.isEmpty })
    let later = try await harness.outbox()
    let stored = try #require(try await later.receipt(for: receipt.id)?.outcome().response)
    #expect(
      stored.status == HTTPStatus(201) && stored.body.isEmpty && !stored.isWhole && stored.fields.isEmpty)
    await later.close()
    let files = try #require(
      FileManager.default.enumerator(at: harness.folder, includingPropertiesForKeys: nil))
    var bytes = Data()
    for case let file as URL in files where !file.path.hasSuffix(".bell") {
      bytes += (try? Data(contentsOf: file)) ?? Data()
    }
    #expect(bytes.firstRange(of: Data("n0where".utf8)) == nil && bytes.count > 10_000)
  }

  @Test(.onlyOnSQLite)
  func `a refusal is reported with the server's own text, which its stored reason omits`()
    async throws
  {
    let key = OutboxKey.random()
    server.on("/") { _ in
      .response(
        status: 422, fields: ["Content-Type": "application/problem+json"],
        body: #"{"title":"Invalid","detail":"the amount must be positive (token=abc)"}"#)
    }
    let outbox = try await harness.outbox { $0.key = key }
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    guard case .deadLettered(let reason, _) = try await receipt.outcome() else {
      Issue.record("it did not become a dead letter")
      return
    }
    #expect(
      reason
        == "the server responded with 422 Unprocessable Content; it says: the amount must be positive (token=***)"
    )
    #expect(try await receipt.status()?.reason == reason)
    await outbox.close()
    let bytes = try Data(contentsOf: harness.folder.appending(path: "outbox.sqlite"))
    #expect(bytes.firstRange(of: Data("422".utf8)) != nil)
    #expect(bytes.firstRange(of: Data("positive".utf8)) == nil)
  }
}

extension String {
  fileprivate var outboxID: OutboxID { OutboxID(rawValue: self) }
}
