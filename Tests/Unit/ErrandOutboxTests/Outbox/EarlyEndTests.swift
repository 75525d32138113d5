import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// Another process may end a request after the transaction that stores it and before the enqueuing task
/// learns of that transaction.
@Suite(.timeLimit(.minutes(1))) struct EarlyEndTests {
  private let harness: OutboxHarness
  private let id = OutboxID(rawValue: "early")

  init() throws { harness = try OutboxHarness() }

  private var stored: OutboxEvent {
    OutboxEvent(id: id, lane: nil, step: .stored, date: Date(timeIntervalSince1970: 0))
  }

  @Test func `a receipt reports an end that came before its request was known to be stored`() async throws {
    // Silent, because a notification would make the outbox look at the store once more.
    var setup = StoreSetup()
    setup.notifier = SilentChangeNotifier()
    let store = try await SQLiteOutboxStore(folder: harness.folder, setup: setup)
    var configuration = harness.configuration
    configuration.delivers = false
    let outbox = try await Outbox(
      store: store, folder: harness.folder, client: harness.client(), configuration: configuration)
    let receipt = Receipt(id, outbox.hub.log(id), outbox, isNew: true)
    _ = try await outbox.store.add([.sample(id.rawValue)], within: OutboxCaps())
    let other = try await SQLiteOutboxStore(folder: harness.folder)
    #expect(try await other.drop(.all, reason: "elsewhere").rows.count == 1)
    await outbox.hub.catchUp()
    outbox.hub.begin([stored])
    #expect(try await receipt.outcome() == .dropped(reason: "elsewhere"))
    await other.close()
    await outbox.close()
  }

  @Test func `a request that is not stored yet does not count as forgotten, and starts once`() async throws {
    let outbox = try await harness.outbox { $0.delivers = false }
    let receipt = Receipt(id, outbox.hub.log(id), outbox, isNew: true)
    // At first the row is not stored yet; then it is stored, and the enqueuing task does not know that yet.
    await outbox.hub.catchUp()
    _ = try await outbox.store.add([.sample(id.rawValue)], within: OutboxCaps())
    await outbox.hub.catchUp()
    outbox.hub.begin([stored])
    let events = receipt.events
    _ = try await outbox.drop(.all, reason: "here")
    var steps: [OutboxEvent.Step] = []
    for await event in events { steps.append(event.step) }
    #expect(steps == [.stored, .dropped(reason: "here")])
    await outbox.close()
  }
}
