import TestSupport
import Testing

@testable import ErrandTesting

@Suite(.computesLong) struct AttemptPlanTests {
  private func plans(_ conditions: NetworkConditions, seed: UInt64 = 1, count: Int = 10_000) -> [AttemptPlan]
  {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in AttemptPlan(conditions, using: &random) }
  }

  @Test func `every attempt without faults gets a response, within the times of the conditions`() {
    var conditions = NetworkConditions()
    conditions.latency = .milliseconds(3)...(.milliseconds(4))
    for plan in plans(conditions) {
      #expect(plan.fate == .responded)
      #expect(conditions.latency.contains(plan.out))
      #expect(conditions.latency.contains(plan.back))
      #expect((.milliseconds(6)...(.milliseconds(8))).contains(plan.connect))
      #expect(conditions.service.contains(plan.service))
    }
  }

  @Test func `faults have the requested frequency`() {
    var conditions = NetworkConditions()
    conditions.loss = 0.3
    let lost = plans(conditions).filter { $0.fate == .lostOnTheWayOut || $0.fate == .lostOnTheWayBack }
    #expect((2700...3300).contains(lost.count))
    conditions.loss = 0
    conditions.refusals = 1
    #expect(plans(conditions).allSatisfy { $0.fate == .refused })
  }

  @Test func `the same seed makes the same plans`() {
    func facts(_ seed: UInt64) -> [AttemptPlan.Fate] { plans(.bad, seed: seed, count: 100).map(\.fate) }
    #expect(facts(1) == facts(1))
    #expect(facts(1) != facts(2))
  }

  @Test func `bodies arrive in pieces of the size and at the rate of the conditions`() {
    var plan = plans(NetworkConditions(), count: 1)[0]
    for _ in 0..<1000 {
      let (length, pause) = plan.nextPiece()
      #expect((1...1024).contains(length))
      #expect((.zero...(.milliseconds(20))).contains(pause))
    }
  }
}
