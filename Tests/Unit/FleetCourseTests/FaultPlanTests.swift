import Testing

@testable import FleetCourse

@Suite struct FaultPlanTests {
  @Test func `each round has every fault, for different workers`() {
    var plan = FaultPlan(workers: 8, seed: 1)
    var lastStalls: [Bool] = []
    for round in 1...50 {
      var (workers, clocks, stalls): ([Int], [Int], [Bool]) = ([], [], [])
      for _ in 0..<9 {
        switch plan.next() {
        case .kill(let worker), .freeze(let worker), .replace(let worker): workers.append(worker)
        case .absence(let isStalled): stalls.append(isStalled)
        case .setClock(let seconds): clocks.append(seconds)
        case .restartDatabase, .cutOff: break
        }
      }
      #expect(plan.rounds == round)
      #expect(Set(workers).count == 4 && workers.allSatisfy { 0..<7 ~= $0 })
      #expect(clocks.count == 2 && clocks[0].signum() == -clocks[1].signum())
      #expect(clocks.allSatisfy { 3600...10_800 ~= abs($0) })
      #expect(stalls.count == 1 && stalls != lastStalls)
      lastStalls = stalls
      #expect(plan.counts.count == min(7 + (round - 1), 8) && plan.counts["workers killed"] == 2 * round)
    }
  }

  @Test func `a clock that cannot be set is left alone`() {
    var plan = FaultPlan(workers: 8, seed: 1, setsClock: false)
    for _ in 0..<70 { _ = plan.next() }
    #expect(plan.rounds == 10 && plan.counts["steps of PostgreSQL's clock"] == nil)
  }

  @Test func `the same seed gives the same course`() {
    var (one, other) = (FaultPlan(workers: 8, seed: 7), FaultPlan(workers: 8, seed: 7))
    for _ in 0..<100 { #expect(one.next() == other.next() && one.pause() == other.pause()) }
  }
}

@Suite struct RollingRestartTests {
  @Test func `waits before the restart are distinguished from waits during it`() {
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

  @Test func `a request that is sent twice, or that waits for a lease, is a fault`() {
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
