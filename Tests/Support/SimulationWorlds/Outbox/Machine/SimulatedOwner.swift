import ErrandOutbox
import ErrandOutboxSQLite

/// The liveness registry of a simulated process.
final class SimulatedOwner: LivenessRegistry {
  let name: String
  private let machine: SimulatedMachine
  private let defect: OutboxDefect?

  init(_ name: String, on machine: SimulatedMachine, _ defect: OutboxDefect?) {
    self.name = name
    self.machine = machine
    self.defect = defect
    machine.begin(name)
  }

  func isAlive(_ owner: String) -> Bool {
    machine.isAlive(owner) && (owner == name || defect != .takesOthersForDead)
  }

  func leave() { machine.end(name) }

  func begin(_ leases: [Int64]) { machine.begin(leases, of: name) }

  func hasBegun(_ lease: Int64, _ owner: String) -> Bool? { machine.hasBegun(lease, owner) }
}
