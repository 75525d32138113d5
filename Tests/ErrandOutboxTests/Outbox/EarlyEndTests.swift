import Foundation
import Testing

@testable import ErrandOutbox

/// Between the transaction that stores a request and the instant at which its storer hears of it, others may end it.
@Suite(.timeLimit(.minutes(1))) struct EarlyEndTests {
  private let lab: OutboxLab
  private let id = OutboxID(rawValue: "early")

  init() throws { lab = try OutboxLab() }

  private var stored: OutboxEvent {
    OutboxEvent(id: id, lane: nil, step: .stored, date: Date(timeIntervalSince1970: 0))
  }

  @Test func `a receipt hears of an end that came before its request was known to be stored`() async throws {
    // Another's bell would have it look once more.
    var setup = StoreSetup()
    setup.doorbell = SilentDoorbell()
    let store = try await SQLiteOutboxStore(folder: lab.folder, setup: setup)
    var configuration = lab.configuration
    configuration.delivers = false
    let outbox = try await Outbox(
      store: store, folder: lab.folder, client: lab.client(), configuration: configuration)
    let receipt = Receipt(id, outbox.feedback.track(id), outbox, isNew: true)
    _ = try await outbox.desk.store.add([.sample(id.rawValue)], within: OutboxCaps(), at: .now())
    let other = try await SQLiteOutboxStore(folder: lab.folder)
    #expect(try await other.drop(.all, reason: "elsewhere", at: .now()).rows.count == 1)
    await outbox.desk.catchUp()
    outbox.feedback.begin([stored])
    #expect(try await receipt.outcome() == .dropped(reason: "elsewhere"))
    await other.close()
    await outbox.close()
  }

  @Test func `a request that is not stored yet is not forgotten, and begins once`() async throws {
    let outbox = try await lab.outbox { $0.delivers = false }
    let receipt = Receipt(id, outbox.feedback.track(id), outbox, isNew: true)
    // It is not there yet, and then it is, and its storer has not heard.
    await outbox.desk.catchUp()
    _ = try await outbox.desk.store.add([.sample(id.rawValue)], within: OutboxCaps(), at: .now())
    await outbox.desk.catchUp()
    outbox.feedback.begin([stored])
    let events = receipt.events
    _ = try await outbox.drop(.all, reason: "here")
    var steps: [OutboxEvent.Step] = []
    for await event in events { steps.append(event.step) }
    #expect(steps == [.stored, .dropped(reason: "here")])
    await outbox.close()
  }
}
