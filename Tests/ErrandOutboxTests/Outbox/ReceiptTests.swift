import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite(.timeLimit(.minutes(1))) struct ReceiptTests {
  private let lab: OutboxLab
  private var server: MockServer { lab.server }

  init() throws { lab = try OutboxLab() }

  @Test func `a receipt says delivered when what was set aside has been tried again, and its events go on`()
    async throws
  {
    server.script("/", [.answer(status: 400), .answer(status: 400), .answer()])
    let outbox = try await lab.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    for _ in 0..<2 {
      guard case .setAside = try await receipt.outcome() else {
        Issue.record("it is not set aside")
        return
      }
      try await outbox.retry(OutboxSelection(ids: [receipt.id]))
    }
    #expect(try await receipt.outcome().answer != nil)
    var steps: [String] = []
    for await event in receipt.events { steps.append("\(event.step)".prefix { $0.isLetter }.description) }
    #expect(
      steps == [
        "stored", "trying", "setAside", "stored", "trying", "setAside", "stored", "trying", "delivered",
      ])
    await outbox.close()
  }

  @Test func `a receipt says what has become of a request that another process has tried again`() async throws
  {
    server.script("/", [.answer(status: 400), .answer()])
    let outbox = try await lab.outbox()
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    _ = try await receipt.outcome()
    // As a process whose bell is not heard here.
    var setup = StoreSetup()
    setup.doorbell = SilentDoorbell()
    let store = try await SQLiteOutboxStore(folder: lab.folder, setup: setup)
    let other = try await Outbox(
      store: store, folder: lab.folder, client: lab.client(), configuration: lab.configuration)
    try await other.retry(.all)
    try await other.waitUntilEmpty()
    #expect(try await receipt.outcome().answer != nil)
    await other.close()
    await outbox.close()
  }

  @Test func `a step that was read before another one does not come after it, whoever tells it`() {
    let feedback = Feedback()
    let track = feedback.track("a".outboxID)
    func row(_ state: OutboxState, _ reading: Int64) -> OutboxRow {
      var row = NewRow.sample("a").stored
      (row.state, row.reading) = (state, OutboxRow.Reading(reading))
      return row
    }
    func event(_ row: OutboxRow) -> OutboxEvent {
      let step: OutboxEvent.Step =
        switch row.state {
        case .stored: .stored
        case .trying: .trying(1)
        case .expired: .expired
        default: .dropped(reason: "by hand")
        }
      return OutboxEvent(id: row.id, lane: nil, step: step, date: Date(milliseconds: 0))
    }
    track.begin(with: event(row(.stored, 1)))
    #expect(feedback.followed.map(\.id) == ["a".outboxID])
    feedback.publish([row(.expired, 5)], event)
    feedback.publish([row(.trying, 3)], to: feedback.followed, event)
    feedback.publish([row(.stored, 4)], event)
    feedback.publish([row(.expired, 6)], to: feedback.followed, event)
    #expect(!track.isOver && track.steps == 1)
    feedback.publish([row(.stored, 7)], to: feedback.followed, event)
    #expect(track.steps == 2)
    feedback.publish([row(.dropped, 8)], to: feedback.followed, event)
    #expect(track.isOver && feedback.followed.isEmpty)
  }

  @Test func `receipts of what is enqueued say which are new`() async throws {
    let outbox = try await lab.outbox { $0.delivers = false }
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

  @Test func `a receipt of what was delivered before says so at once`() async throws {
    server.on("/a") { _ in .answer(body: "thanks") }
    let outbox = try await lab.outbox()
    let item = OutboxItem(.post(server.url("/a")), id: "a".outboxID)
    #expect(try await outbox.enqueue([item])[0].outcome().answer != nil)
    let again = try await outbox.enqueue([item])[0]
    #expect(!again.isNew)
    #expect(try await again.outcome().answer?.body == Data("thanks".utf8))
    #expect(server.count("/a") == 1)
    await outbox.close()
  }

  @Test(arguments: [false, true])
  func `a response that must not be kept is told once, and is nowhere on the disk`(isAsked: Bool) async throws
  {
    server.on("/") { _ in
      .answer(
        status: 201,
        fields: isAsked ? ["X-Part": "n0where"] : ["Cache-Control": "no-store", "X-Part": "n0where"],
        body: "n0where")
    }
    let outbox = try await lab.outbox()
    var request = Request.post(server.url("/"))
    if isAsked { request = request.field("Cache-Control", "no-store") }
    let receipt = try await outbox.enqueue(request)
    let answer = try #require(try await receipt.outcome().answer)
    #expect(answer.body == Data("n0where".utf8) && answer.isWhole && answer.fields["X-Part"] == "n0where")
    #expect(outbox.desk.unkept.withLock { $0.isEmpty })
    await outbox.close()
    let later = try await lab.outbox()
    let kept = try #require(try await later.receipt(for: receipt.id)?.outcome().answer)
    #expect(kept.status == Status(201) && kept.body.isEmpty && !kept.isWhole && kept.fields.isEmpty)
    await later.close()
    let files = try #require(FileManager.default.enumerator(at: lab.folder, includingPropertiesForKeys: nil))
    var bytes = Data()
    for case let file as URL in files where !file.path.hasSuffix(".bell") {
      bytes += (try? Data(contentsOf: file)) ?? Data()
    }
    #expect(bytes.firstRange(of: Data("n0where".utf8)) == nil && bytes.count > 10_000)
  }

  @Test func `a request that is refused is told with the server's own words, which are not kept in its row`()
    async throws
  {
    let key = OutboxKey.random()
    server.on("/") { _ in
      .answer(
        status: 422, fields: ["Content-Type": "application/problem+json"],
        body: #"{"title":"Invalid","detail":"the amount must be positive (token=abc)"}"#)
    }
    let outbox = try await lab.outbox { $0.key = key }
    let receipt = try await outbox.enqueue(.post(server.url("/")))
    guard case .setAside(let reason, _) = try await receipt.outcome() else {
      Issue.record("it is not set aside")
      return
    }
    #expect(
      reason
        == "the server answered 422 Unprocessable Content; it says: the amount must be positive (token=***)")
    #expect(try await receipt.status()?.reason == reason)
    await outbox.close()
    let bytes = try Data(contentsOf: lab.folder.appending(path: "outbox.sqlite"))
    #expect(bytes.firstRange(of: Data("422".utf8)) != nil)
    #expect(bytes.firstRange(of: Data("positive".utf8)) == nil)
  }
}

extension String {
  fileprivate var outboxID: OutboxID { OutboxID(rawValue: self) }
}
