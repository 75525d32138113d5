import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

@Suite(.computesLong) struct SchedulerPropertyTests {
  private func limits(_ random: inout SeededRandom) -> ConcurrencyLimits {
    var limits = ConcurrencyLimits(
      total: [nil, 1, 2, 4, 8].randomElement(using: &random) ?? 4,
      perOrigin: [nil, 1, 2, 3].randomElement(using: &random) ?? nil)
    limits.reserved = Int.random(in: 0...4, using: &random)
    limits.ageing =
      [.zero, .seconds(1), .seconds(5), .seconds(1_000_000)].randomElement(using: &random) ?? .zero
    return limits
  }

  /// Exactly the requests that the model starts are started, in its order: limits are never exceeded,
  /// reserved slots stay reserved, no request waits that may start, and none is lost or started twice.
  @Test(arguments: 1...12)
  func `the scheduler follows its rules at every step`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let origins = (0..<Int.random(in: 1...6, using: &random)).map { "origin\($0)" }
    var run = SchedulerRun(limits(&random))
    for step in 0..<300 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        run.now += .milliseconds(Int.random(in: 0...900, using: &random))
      }
      // The number of waiting requests alternately grows and shrinks.
      let crowd = step / 50 % 2 == 0 ? 60 : 30
      switch Int.random(in: 0..<100, using: &random) {
      case ..<crowd:
        run.arrive(
          Priority.allCases.randomElement(using: &random) ?? .default,
          origin: origins.randomElement(using: &random) ?? "")
      case ..<80: if let number = run.running.randomElement(using: &random) { run.finish(number) }
      case ..<88: if let number = run.waiting.randomElement(using: &random) { run.leave(number) }
      case ..<98:
        if let number = run.waiting.randomElement(using: &random) {
          run.raise(number, to: Priority.allCases.randomElement(using: &random) ?? .default)
        }
      default: run.setLimits(limits(&random))
      }
      #expect(!run.model.waiting.contains(where: run.model.mayStart))
      #expect(!run.model.waiting.contains { waitsForNothing($0, run) })
    }
    while let number = run.running.randomElement(using: &random) { run.finish(number) }
    #expect(run.waiting.isEmpty)
    #expect(run.state.isEmpty)
  }

  /// Returns true if a foreground request waits although a slot is free and its origin is below its limit.
  /// This states the rule without the model.
  private func waitsForNothing(_ request: SchedulerModel.Request, _ run: SchedulerRun) -> Bool {
    let limits = run.model.limits
    guard request.priority.isSeen, run.running.count < limits.total ?? .max else { return false }
    let mates = run.model.running.values.filter { $0.origin == request.origin }
    return request.origin == nil || mates.count < limits.perOrigin ?? .max
  }

  @Test(arguments: 1...8)
  func `the limits are never exceeded while they do not change`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var limits = ConcurrencyLimits(total: 5, perOrigin: 3)
    limits.reserved = 2
    var run = SchedulerRun(limits)
    for _ in 0..<300 {
      run.now += .milliseconds(Int.random(in: 0...300, using: &random))
      if Bool.random(using: &random) {
        run.arrive(
          Priority.allCases.randomElement(using: &random) ?? .default,
          origin: ["a", "b", "c"].randomElement(using: &random) ?? "a")
      } else if let number = run.running.randomElement(using: &random) {
        run.finish(number)
      }
      let running = run.model.running.values
      #expect(running.count <= 5 && running.count { !$0.priority.isSeen } <= 3)
      let areHostsWithin = ["a", "b", "c"].allSatisfy { origin in
        let mates = running.filter { $0.origin == origin }
        return mates.count <= 3 && mates.count { !$0.priority.isSeen } <= 1
      }
      #expect(areHostsWithin)
    }
  }

  @Test(arguments: 1...8)
  func `requests of one origin and one priority start in the order of their arrival`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var run = SchedulerRun(ConcurrencyLimits(total: 3, perOrigin: 2))
    var kinds: [Int: String] = [:]
    var lastStarted: [String: Int] = [:]
    for _ in 0..<300 {
      run.now += .milliseconds(Int.random(in: 0...500, using: &random))
      if Bool.random(using: &random) {
        let priority = Priority.allCases.randomElement(using: &random) ?? .default
        let origin = ["a", "b", "c"].randomElement(using: &random) ?? "a"
        let number = run.arrive(priority, origin: origin)
        kinds[number] = "\(origin) \(priority)"
      } else if let number = run.running.randomElement(using: &random) {
        for started in run.finish(number) {
          guard let kind = kinds[started] else { continue }
          #expect(started > lastStarted[kind] ?? 0)
          lastStarted[kind] = started
        }
      }
    }
  }
}
