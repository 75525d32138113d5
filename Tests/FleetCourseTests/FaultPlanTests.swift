import Testing

@testable import FleetCourse

@Suite struct FaultPlanTests {
  @Test func `each round has every fault, of workers that differ`() {
    var plan = FaultPlan(workers: 8, seed: 1)
    for round in 1...50 {
      var workers: [Int] = []
      for _ in 0..<6 {
        switch plan.next() {
        case .kill(let worker), .freeze(let worker), .replace(let worker): workers.append(worker)
        case .restartDatabase, .cutOff: break
        }
      }
      #expect(plan.rounds == round)
      #expect(Set(workers).count == 4 && workers.allSatisfy { 0..<7 ~= $0 })
      #expect(plan.counts.count == 5 && plan.counts["workers killed"] == 2 * round)
    }
  }

  @Test func `the same seed has the same course`() {
    var (one, other) = (FaultPlan(workers: 8, seed: 7), FaultPlan(workers: 8, seed: 7))
    for _ in 0..<100 { #expect(one.next() == other.next() && one.pause() == other.pause()) }
  }
}

@Suite struct RollingRestartTests {
  @Test func `waits before and during the restart are told apart`() {
    var restart = RollingRestart()
    restart.enqueue(1, at: .seconds(1))
    restart.arrive(1, at: .seconds(2))
    restart.begin()
    restart.enqueue(2, at: .seconds(2))
    restart.enqueue(3, at: .seconds(2))
    restart.arrive(2, at: .seconds(5))
    #expect(!restart.isEmpty)
    restart.arrive(3, at: .seconds(4))
    restart.arrive(9, at: .seconds(100))
    let result = restart.result(workers: 8)
    #expect(result.usual == .seconds(1) && result.longest == .seconds(3) && result.doubled == 0)
    #expect(restart.isEmpty && result.isGood)
  }

  @Test func `what is sent twice, and what waits for a lease, is a fault`() {
    var restart = RollingRestart()
    restart.begin()
    restart.enqueue(1, at: .zero)
    restart.arrive(1, at: .seconds(1))
    restart.arrive(1, at: .seconds(2))
    #expect(restart.result(workers: 8).doubled == 1 && !restart.result(workers: 8).isGood)
    var slow = RollingRestart()
    slow.begin()
    slow.enqueue(1, at: .zero)
    slow.arrive(1, at: .seconds(30))
    #expect(!slow.result(workers: 8).isGood)
  }
}
