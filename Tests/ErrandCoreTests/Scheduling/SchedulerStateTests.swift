import Testing

@testable import ErrandCore

@Suite struct SchedulerStateTests {
  private func limits(_ total: Int?, perOrigin: Int? = nil, kept: Int = 0) -> ConcurrencyLimits {
    var limits = ConcurrencyLimits(total: total, perOrigin: perOrigin)
    limits.kept = kept
    return limits
  }

  @Test func `so many start at once, the next waits until one ends`() {
    var run = SchedulerRun(limits(2))
    let first = run.arrive(.default)
    run.arrive(.default)
    let third = run.arrive(.default)
    #expect(run.waiting == [third])
    #expect(run.finish(first) == [third])
  }

  @Test func `the most urgent goes first, and the first to come among equals`() {
    var run = SchedulerRun(limits(1))
    var running = run.arrive(.default)
    let priorities: [Priority] = [.utility, .background, .userInitiated, .default, .userInitiated, .utility]
    let numbers = priorities.map { run.arrive($0) }
    var order: [Int] = []
    while let next = run.finish(running).first {
      order.append(next)
      running = next
    }
    #expect(order == [2, 4, 3, 0, 5, 1].map { numbers[$0] })
  }

  @Test(arguments: Priority.allCases)
  func `a single slot is for everybody`(priority: Priority) {
    var run = SchedulerRun(limits(1, kept: 3))
    let number = run.arrive(priority)
    #expect(run.running == [number])
  }

  @Test func `what nobody looks at leaves the kept slots free, however old it is`() {
    var run = SchedulerRun(limits(4, kept: 2))
    for _ in 0..<2 { run.arrive(.background) }
    let old = run.arrive(.utility)
    run.now += .seconds(1000)
    let seen = [run.arrive(.default), run.arrive(.userInitiated)]
    #expect(run.waiting == [old])
    // A kept slot that comes back does not go to it either.
    #expect(run.finish(seen[0]) == [])
    #expect(run.waiting == [old])
  }

  @Test func `an origin keeps slots of its own limit as well`() {
    var run = SchedulerRun(limits(10, perOrigin: 3, kept: 1))
    for _ in 0..<2 { run.arrive(.background, origin: "a") }
    let third = run.arrive(.background, origin: "a")
    run.arrive(.default, origin: "a")
    #expect(run.waiting == [third])
  }

  @Test func `an origin at its limit does not hold up another`() {
    var run = SchedulerRun(limits(3, perOrigin: 1))
    run.arrive(.userInitiated, origin: "a")
    let waiting = (0..<5).map { _ in run.arrive(.userInitiated, origin: "a") }
    let other = run.arrive(.background, origin: "b")
    #expect(run.running.contains(other))
    #expect(run.waiting == waiting)
  }

  @Test func `one that ends can make room for two`() {
    var run = SchedulerRun(limits(4, perOrigin: 1, kept: 3))
    let first = run.arrive(.background, origin: "a")
    let low = run.arrive(.background, origin: "b")
    let high = run.arrive(.default, origin: "a")
    #expect(run.finish(first) == [high, low])
  }

  @Test func `one that is raised goes where it would be had it come so`() {
    var run = SchedulerRun(limits(1))
    var running = run.arrive(.default)
    let priorities: [Priority] = [.background, .default, .background, .default, .utility]
    let numbers = priorities.map { run.arrive($0) }
    run.raise(numbers[2], to: .default)
    run.raise(numbers[4], to: .default)
    run.raise(numbers[0], to: .default)
    // Lower than it is: nothing.
    run.raise(numbers[1], to: .background)
    var order: [Int] = []
    while let next = run.finish(running).first {
      order.append(next)
      running = next
    }
    #expect(order == numbers)
  }

  @Test func `one that is raised into the kept slots starts at once`() {
    var run = SchedulerRun(limits(2, kept: 1))
    run.arrive(.background)
    let number = run.arrive(.background)
    #expect(run.raise(number, to: .utility) == [])
    #expect(run.raise(number, to: .default) == [number])
  }

  @Test func `higher limits start who waits, lower ones let finish what runs`() {
    var run = SchedulerRun(limits(1))
    let numbers = (0..<6).map { _ in run.arrive(.default) }
    #expect(run.setLimits(limits(4)) == Array(numbers[1...3]))
    #expect(run.setLimits(limits(2)) == [])
    #expect(run.running.count == 4)
    #expect(run.finish(numbers[0]) == [])
    #expect(run.finish(numbers[1]) == [])
    #expect(run.finish(numbers[2]) == [numbers[4]])
    #expect(run.setLimits(limits(nil)) == [numbers[5]])
  }

  @Test func `a limit for each origin counts for those that come from then on`() {
    var run = SchedulerRun(limits(nil))
    for _ in 0..<3 { run.arrive(.default, origin: "a") }
    run.setLimits(limits(nil, perOrigin: 1))
    let first = run.arrive(.default, origin: "a")
    let second = run.arrive(.default, origin: "a")
    #expect(run.waiting == [second])
    #expect(run.finish(first) == [second])
  }

  @Test func `a limit below one is one`() {
    for total in [0, -5] {
      var run = SchedulerRun(limits(total, perOrigin: total, kept: -1))
      run.arrive(.background)
      run.arrive(.background)
      #expect(run.running.count == 1)
    }
  }

  @Test func `without a limit nobody waits`() {
    var state = SchedulerState<Int>(.unlimited)
    for number in 0..<1000 {
      guard case .started = state.arrive(number, .background, origin: nil, at: .zero) else {
        Issue.record("waits")
        return
      }
    }
  }

  @Test func `origins are forgotten when they are quiet`() {
    var state = SchedulerState<Int>(limits(1, perOrigin: 1))
    var slots: [Slot] = []
    for number in 0..<5000 {
      if case .started(let slot) = state.arrive(number, .default, origin: "origin\(number)", at: .zero) {
        slots.append(slot)
      }
    }
    var ended = 0
    while let slot = slots.popLast() {
      ended += 1
      slots += state.finish(slot).map(\.slot)
    }
    #expect(ended == 5000)
    #expect(state.isEmpty)
  }
}
