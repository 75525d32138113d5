import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

@Suite(.computesLong) struct RetryBudgetTests {
  @Test func `a client that makes few calls has a minimum of retries`() {
    var budget = RetryBudgetState(RetryBudget(ratio: 0, minimumPerSecond: 2))
    let granted = (0..<100).filter { _ in budget.retry(at: .seconds(1)) }.count
    #expect(granted == 20)
  }

  @Test func `a storm of failures gets retries for at most a fifth of its calls`() {
    var budget = RetryBudgetState(RetryBudget(ratio: 0.2, minimumPerSecond: 0))
    var granted = 0
    for index in 0..<10_000 {
      let now = Duration.milliseconds(index / 2)
      budget.call(at: now)
      if budget.retry(at: now) { granted += 1 }
    }
    #expect(1900...2000 ~= granted)
  }

  @Test func `calls older than ten seconds are forgotten`() {
    var budget = RetryBudgetState(RetryBudget(ratio: 1, minimumPerSecond: 0))
    budget.call(at: .seconds(0))
    let first9 = budget.retry(at: .seconds(9))
    #expect(first9)
    let second = budget.retry(at: .seconds(9))
    #expect(!second)
    budget.call(at: .seconds(20))
    let first29 = budget.retry(at: .seconds(29))
    #expect(first29)
    let late = budget.retry(at: .seconds(30))
    #expect(!late)
  }

  /// The budget has a place for each of ten seconds: a call must be forgotten even if its place is not
  /// reused.
  @Test func `a call counts for ten seconds, whichever second is queried next`() {
    for wait in 0..<45 {
      var budget = RetryBudgetState(RetryBudget(ratio: 1, minimumPerSecond: 0))
      budget.call(at: .seconds(20))
      let isGranted = budget.retry(at: .seconds(20 + wait))
      #expect(isGranted == (wait < 10), "after \(wait) s")
    }
  }

  @Test func `a retry counts for ten seconds`() {
    for wait in 0..<45 {
      var budget = RetryBudgetState(RetryBudget(ratio: 1, minimumPerSecond: 0))
      budget.call(at: .seconds(20))
      let first = budget.retry(at: .seconds(20))
      #expect(first)
      budget.call(at: .seconds(20 + wait))
      // The first call may still count, and so may the retry that it allowed.
      let second = budget.retry(at: .seconds(20 + wait))
      let third = budget.retry(at: .seconds(20 + wait))
      #expect(second && !third, "after \(wait) s")
    }
  }

  @Test(arguments: 1...20)
  func `no period of ten seconds has more retries than the budget allows`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let rules = RetryBudget(ratio: 0.3, minimumPerSecond: 1)
    var budget = RetryBudgetState(rules)
    var now = 0.0
    var calls: [Double] = []
    var retries: [Double] = []
    for _ in 0..<3000 {
      now += Double.random(in: 0...0.05, using: &random)
      if Bool.random(using: &random) {
        calls.append(now)
        budget.call(at: .seconds(now))
      } else if budget.retry(at: .seconds(now)) {
        retries.append(now)
        // Whole seconds are counted, so a window can contain one more second of calls.
        let recentCalls = Double(calls.filter { $0 > now - 11 }.count)
        let recent = Double(retries.filter { $0 > now - 9 }.count)
        #expect(recent <= recentCalls * rules.ratio + Double(rules.minimumPerSecond) * 10 + 1)
      }
    }
    #expect(!retries.isEmpty)
  }

  @Test func `a budget without a limit grants every retry`() {
    var budget = RetryBudgetState(RetryBudget(ratio: 0, minimumPerSecond: .max))
    let granted = (0..<1000).filter { _ in budget.retry(at: .seconds(1)) }.count
    #expect(granted == 1000)
  }
}
