import ErrandTesting
import Testing

@testable import ErrandOutbox

@Suite struct HandoverSimulationTests {
  /// Delivers 12 rows, first with all faults, and then without faults.
  private func run(_ seed: UInt64) -> HandoverWorld {
    var world = HandoverWorld(seed: seed, rows: 12)
    for _ in 0..<600 where world.faults.isEmpty { world.step() }
    world.isTroubled = false
    for _ in 0..<20_000 where world.faults.isEmpty && !world.isOver { world.step() }
    return world
  }

  @Test(arguments: 0..<10)
  func `each attempt has one record, no row is lost, and lanes are sent one by one`(part: UInt64) {
    for seed in part * 30..<(part + 1) * 30 {
      let world = run(seed)
      #expect(world.faults.isEmpty, "seed \(seed): \(world.faults)")
      let isOver = world.isOver
      #expect(isOver, "seed \(seed): not all rows were delivered")
      #expect(world.accepted.count == world.rows.count, "seed \(seed)")
      let (attempts, records) = (world.attempts, world.records.count)
      #expect(records == attempts, "seed \(seed): an attempt has no record")
      if !world.faults.isEmpty || !isOver { return }
    }
  }

  @Test func `the simulated phone hands over, wakes, loses tasks and repeats events`() {
    let worlds = (0..<50).map { run($0) }
    #expect(worlds.reduce(0) { $0 + $1.handedOver } > 400)
    #expect(worlds.reduce(0) { $0 + $1.wakes } > 100)
    let records = worlds.flatMap { $0.records.values.flatMap(\.self) }
    for what in [
      "lost", "delivered late", "recovered", "given back", "cancelled(hasBegun: true)",
      "cancelled(hasBegun: false)", "finished",
    ] {
      let isThere = records.contains { $0.hasPrefix(what) }
      #expect(isThere, "no attempt was \(what)")
    }
  }
}
