import TestSupport
import Testing

@testable import ErrandCore

@Suite(.computesLong) struct AgeingTests {
  /// Returns how long a request of this priority waits for one of four slots while twenty one-second requests
  /// of the highest priority are always waiting; nil if it does not start within `seconds`.
  private func wait(_ priority: Priority, ageing: Duration, seconds: Int) -> Duration? {
    var limits = ConcurrencyLimits(total: 4)
    limits.ageing = ageing
    var state = SchedulerState<Int>(limits)
    var slots: [Slot] = []
    func arrive(_ number: Int, _ priority: Priority, _ now: Duration) {
      if case .started(let slot) = state.arrive(number, priority, origin: nil, at: now) { slots.append(slot) }
    }
    for number in 1...24 { arrive(number, .userInitiated, .zero) }
    arrive(0, priority, .zero)
    for second in 1...seconds {
      let ending = slots
      slots = []
      for slot in ending {
        for start in state.finish(slot) {
          if start.payload == 0 { return .seconds(second) }
          slots.append(start.slot)
        }
        arrive(1, .userInitiated, .seconds(second))
      }
    }
    return nil
  }

  @Test(arguments: [(Priority.default, 1), (.utility, 2), (.background, 3)])
  func `no request starves in an endless flood`(priority: Priority, steps: Int) throws {
    for ageing in [1, 5, 20] {
      let waited = try #require(wait(priority, ageing: .seconds(ageing), seconds: 1000))
      // A request rises once each interval, and is then behind the twenty that wait: five seconds.
      #expect(waited >= .seconds(ageing * steps))
      #expect(waited <= .seconds(ageing * steps + 6))
    }
  }

  @Test func `a request without effective ageing starves in an endless flood`() {
    #expect(wait(.default, ageing: .seconds(1_000_000), seconds: 500) == nil)
    #expect(wait(.default, ageing: .longest * 3, seconds: 500) == nil)
  }

  @Test func `a request that ages goes to the tail of its new priority`() {
    var limits = ConcurrencyLimits(total: 1)
    limits.ageing = .seconds(5)
    var run = SchedulerRun(limits)
    let running = run.arrive(.userInitiated)
    let old = run.arrive(.default)
    run.now = .seconds(4)
    let before = run.arrive(.userInitiated)
    run.now = .seconds(6)
    let after = run.arrive(.userInitiated)
    #expect(run.finish(running) == [before])
    #expect(run.finish(before) == [old])
    #expect(run.finish(old) == [after])
  }

  @Test func `the ageing interval can be changed while requests wait`() {
    var limits = ConcurrencyLimits(total: 1)
    limits.ageing = .seconds(1000)
    var run = SchedulerRun(limits)
    let running = run.arrive(.default)
    let old = run.arrive(.background)
    run.now = .seconds(10)
    run.arrive(.userInitiated)
    limits.ageing = .seconds(1)
    run.setLimits(limits)
    #expect(run.finish(running) == [old])
  }

  @Test func `a crowd of aged background requests gets one of eight starts before foreground requests`() {
    var limits = ConcurrencyLimits(total: 1)
    limits.ageing = .seconds(1)
    var run = SchedulerRun(limits)
    var running = run.arrive(.default)
    let old = (0..<10).map { _ in run.arrive(.background) }
    run.now = .seconds(100)
    let seen = (0..<30).map { _ in run.arrive(.default) }
    var order: [Int] = []
    while let next = run.finish(running).first {
      order.append(next)
      running = next
    }
    let overtakers = order.prefix { $0 != seen.last }.filter(old.contains)
    #expect(overtakers == Array(old.prefix(5)))
    for start in stride(from: 0, to: 32, by: 8) {
      #expect(order[start..<start + 8].filter(old.contains).count == 1)
    }
  }
}
