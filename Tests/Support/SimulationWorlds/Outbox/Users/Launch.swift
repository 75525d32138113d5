import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting

/// A process from its start to its end, with its outbox.
final class Launch: Sendable {
  let process: SimulatedProcess
  let outbox: Outbox
  private let store: SQLiteOutboxStore
  private let client: Client
  private let world: OutboxWorld

  init(
    _ process: SimulatedProcess, _ outbox: Outbox, _ store: SQLiteOutboxStore, _ client: Client,
    _ world: OutboxWorld
  ) {
    self.process = process
    self.outbox = outbox
    self.store = store
    self.client = client
    self.world = world
  }

  /// Ends the process between two instructions. Its requests in flight may arrive or not.
  func crash(cutsWire: Bool) async {
    world.ledger.note("\(process.name) crashes")
    process.die()
    world.machine.end(process.name)
    await store.abandon()
    if cutsWire { await client.shutdown(within: .zero) }
  }

  /// Closes the outbox, and ends the process.
  func close(within limit: Duration) async {
    world.ledger.note("\(process.name) closes")
    process.beginClosing()
    await outbox.close(within: limit)
    guard !process.isGone else { return }
    process.die()
    world.machine.end(process.name)
  }
}
