import TestSupport
import Testing

@testable import ErrandCore

@Suite struct SchedulerStateTests {
  private func limits(_ total: Int?, perOrigin: Int? = nil, reserved: Int = 0) -> ConcurrencyLimits {
    var limits = ConcurrencyLimits(total: total, perOrigin: perOrigin)
    limits.reserved = reserved
    return limits
  }

  @Test func `as many requests start as the limit allows, and the next one waits until one ends`() {
    var run = SchedulerRun(limits(2))
    let first = run.arrive(.default)
    run.arrive(.default)
    let third = run.arrive(.default)
    #expect(run.waiting == [third])
    #expect(run.finish(first) == [third])
  }

  @Test func `the highest priority starts first, and the earliest arrival within a priority`() {
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
  func `a single slot is available to every priority`(priority: Priority) {
    var run = SchedulerRun(limits(1, reserved: 3))
    let number = run.arrive(priority)
    #expect(run.running == [number])
  }

  @Test func `a background request never takes a reserved slot, however old it is`() {
    var run = SchedulerRun(limits(4, reserved: 2))
    for _ in 0..<2 { run.arrive(.background) }
    let old = run.arrive(.utility)
    run.now += .seconds(1000)
    let seen = [run.arrive(.default), run.arrive(.userInitiated)]
    #expect(run.waiting == [old])
    // A reserved slot that is released does not go to it either.
    #expect(run.finish(seen[0]) == [])
    #expect(run.waiting == [old])
  }

  @Test func `an origin also reserves slots within its own limit`() {
    var run = SchedulerRun(limits(10, perOrigin: 3, reserved: 1))
    for _ in 0..<2 { run.arrive(.background, origin: "a") }
    let third = run.arrive(.background, origin: "a")
    run.arrive(.default, origin: "a")
    #expect(run.waiting == [third])
  }

  @Test func `an origin at its limit does not delay another origin`() {
    var run = SchedulerRun(limits(3, perOrigin: 1))
    run.arrive(.userInitiated, origin: "a")
    let waiting = (0..<5).map { _ in run.arrive(.userInitiated, origin: "a") }
    let other = run.arrive(.background, origin: "b")
    #expect(run.running.contains(other))
    #expect(run.waiting == waiting)
  }

  @Test func `the end of one request can start two`() {
    var run = SchedulerRun(limits(4, perOrigin: 1, reserved: 3))
    let first = run.arrive(.background, origin: "a")
    let low = run.arrive(.background, origin: "b")
    let high = run.arrive(.default, origin: "a")
    #expect(run.finish(first) == [high, low])
  }

  @Test func `a raised request moves to its place in the new priority`() {
    var run = SchedulerRun(limits(1))
    var running = run.arrive(.default)
    let priorities: [Priority] = [.background, .default, .background, .default, .utility]
    let numbers = priorities.map { run.arrive($0) }
    run.raise(numbers[2], to: .default)
    run.raise(numbers[4], to: .default)
    run.raise(numbers[0], to: .default)
    // A lower priority has no effect.
    run.raise(numbers[1], to: .background)
    var order: [Int] = []
    while let next = run.finish(running).first {
      order.append(next)
      running = next
    }
    #expect(order == numbers)
  }

  @Test func `a request that is raised so that it may use reserved slots starts at once`() {
    var run = SchedulerRun(limits(2, reserved: 1))
    run.arrive(.background)
    let number = run.arrive(.background)
    #expect(run.raise(number, to: .utility) == [])
    #expect(run.raise(number, to: .default) == [number])
  }

  @Test func `higher limits start waiting requests, and lower ones let running requests finish`() {
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

  @Test func `a new limit per origin counts requests that arrive after it was set`() {
    var run = SchedulerRun(limits(nil))
    for _ in 0..<3 { run.arrive(.default, origin: "a") }
    run.setLimits(limits(nil, perOrigin: 1))
    let first = run.arrive(.default, origin: "a")
    let second = run.arrive(.default, origin: "a")
    #expect(run.waiting == [second])
    #expect(run.finish(first) == [second])
  }

  @Test func `a limit below one counts as one`() {
    for total in [0, -5] {
      var run = SchedulerRun(limits(total, perOrigin: total, reserved: -1))
      run.arrive(.background)
      run.arrive(.background)
      #expect(run.running.count == 1)
    }
  }

  @Test func `without a limit no request waits`() {
    var state = SchedulerState<Int>(.unlimited)
    for number in 0..<1000 {
      guard case .started = state.arrive(number, .background, origin: nil, at: .zero) else {
        Issue.record("waits")
        return
      }
    }
  }

  @Test(.computesLong) func `an idle origin is forgotten`() {
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
