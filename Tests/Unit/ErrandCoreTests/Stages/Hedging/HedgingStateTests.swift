import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

@Suite(.computesLong) struct HedgingStateTests {
  private static let origin = "http://a.test"

  // MARK: Windows

  @Test(arguments: 1...3)
  func `a percentile is that of the last thousand times that are at most ten minutes old`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var window = LatencyWindow()
    var all: [(time: Duration, second: Int)] = []
    var second = 0
    for step in 0..<4000 {
      if Int.random(in: 0..<3, using: &random) == 0 { second += Int.random(in: 0...3, using: &random) }
      if Int.random(in: 0..<2000, using: &random) == 0 { second += 500 }
      let time = Duration.microseconds(Int64.random(in: 0...500, using: &random))
      window.add(time, at: .seconds(second))
      all.append((time, second))
      all.removeAll { second - $0.second > 600 }
      if all.count > 1000 { all.removeFirst(all.count - 1000) }
      guard step % 10 == 0 else { continue }
      let share = Double.random(in: 0..<1, using: &random)
      let needed = LatencyWindow.needed(for: share, fewest: 20)
      let expected = all.map(\.time).sorted()
      let rank = max(1, Int((share * Double(expected.count)).rounded(.up)))
      let percentile = window.percentile(share, fewest: 20, at: .seconds(second))
      #expect(window.count == all.count)
      #expect(percentile == (all.count < needed ? nil : expected[rank - 1]))
    }
    let late = window.percentile(0.5, fewest: 20, at: .seconds(second + 601))
    #expect(late == nil && window.count == 0)
  }

  @Test func `a percentile needs as many times that one is expected above it`() {
    #expect(LatencyWindow.needed(for: 0.5, fewest: 20) == 20)
    #expect(LatencyWindow.needed(for: 0.95, fewest: 20) == 20)
    #expect(LatencyWindow.needed(for: 0.99, fewest: 20) == 100)
    #expect(LatencyWindow.needed(for: 0.999, fewest: 20) == 1000)
    #expect(LatencyWindow.needed(for: 0.999_999, fewest: 20) == 1000)
    #expect(LatencyWindow.needed(for: 0, fewest: 20) == 20)
  }

  @Test func `a time is rounded up to a microsecond, and an hour and a half is the longest`() {
    var window = LatencyWindow()
    window.add(.nanoseconds(1), at: .zero)
    let shortest = window.percentile(0, fewest: 1, at: .zero)
    #expect(shortest == .microseconds(1))
    for _ in 0..<99 { window.add(.longest, at: .zero) }
    let longest = window.percentile(0.99, fewest: 1, at: .zero)
    #expect(longest == .microseconds(Int64(UInt32.max)))
  }

  // MARK: Origins

  @Test func `the delay of an origin is known after twenty attempts, and each origin has its own`() {
    var state = HedgingState()
    func delay(_ delay: HedgeDelay, _ origin: String = Self.origin) -> Duration? {
      state.delay(delay, origin: origin, at: .zero)
    }
    for number in 1...20 {
      #expect(delay(.p95) == nil)
      state.took(.milliseconds(number), origin: Self.origin, at: .zero)
    }
    #expect(delay(.p95) == .milliseconds(19))
    #expect(delay(.p90) == .milliseconds(18))
    #expect(delay(.percentile(0)) == .milliseconds(1))
    #expect(delay(.p99) == nil)
    #expect(delay(.p95, "http://b.test") == nil)
    #expect(delay(.after(.seconds(3)), "http://b.test") == .seconds(3))
    #expect(delay(.never) == nil)
  }

  @Test func `only 64 origins are remembered, those that were used last`() {
    var state = HedgingState()
    func delay(_ delay: HedgeDelay, _ origin: String = Self.origin) -> Duration? {
      state.delay(delay, origin: origin, at: .zero)
    }
    for number in 0..<200 {
      for _ in 0..<20 {
        state.took(.milliseconds(5), origin: Self.origin, at: .zero)
        state.took(.milliseconds(1), origin: "http://\(number).test", at: .zero)
      }
      #expect(state.count <= HedgingState.mostOrigins)
    }
    #expect(delay(.p95) == .milliseconds(5))
    #expect(delay(.p95, "http://199.test") == .milliseconds(1))
    #expect(delay(.p95, "http://0.test") == nil)
  }

  @Test func `an origin that asks to wait has no second attempt meanwhile, but at most for a minute`() {
    var state = HedgingState()
    for _ in 0..<200 { state.attempt() }
    state.rest(.seconds(5), origin: Self.origin, at: .seconds(1))
    state.rest(.seconds(1), origin: Self.origin, at: .seconds(1))
    func mayBegin(_ second: Int, _ origin: String = Self.origin) -> Bool {
      state.begin(origin: origin, isLate: false, at: .seconds(second)) == .now
    }
    #expect(!mayBegin(5))
    #expect(mayBegin(5, "http://b.test"))
    #expect(mayBegin(6))
    state.rest(.longest, origin: Self.origin, at: .seconds(10))
    #expect(!mayBegin(69))
    #expect(mayBegin(70))
  }

  // MARK: Budget

  @Test func `the last second attempts are for requests that have waited twice as long`() {
    var state = HedgingState()
    func begin(isLate: Bool) -> HedgingState.Decision {
      state.begin(origin: Self.origin, isLate: isLate, at: .zero)
    }
    for _ in 0..<160 { state.attempt() }
    let decisions = (0..<5).map { _ in begin(isLate: false) }
    #expect(decisions == [.now, .now, .now, .later, .later])
    let late = (0..<6).map { _ in begin(isLate: true) }
    #expect(late == [.now, .now, .now, .now, .now, .never])
    state.putBack()
    #expect(begin(isLate: true) == .now)
  }

  @Test(arguments: 1...20)
  func `second attempts are never more than a twentieth of the first ones`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var budget = HedgeBudgetState()
    var (first, second, run) = (0, 0, 0)
    for _ in 0..<20_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        budget.attempt()
        (first, run) = (first + 1, 0)
      case 5..<9:
        if budget.take() { (second, run) = (second + 1, run + 1) }
      default:
        if second > 0, Int.random(in: 0..<20, using: &random) == 0 {
          budget.putBack()
          second -= 1
        }
      }
      #expect(second * 20 <= first)
      #expect(run <= HedgeBudgetState.most + 1)
    }
    #expect(second * 25 > first)
  }

  @Test func `unused second attempts are saved up to twenty`() {
    var budget = HedgeBudgetState()
    for _ in 0..<10_000 { budget.attempt() }
    let granted = (0..<100).filter { _ in budget.take() }.count
    #expect(granted == 20)
    for _ in 0..<100 { budget.putBack() }
    let putBack = (0..<100).filter { _ in budget.take() }.count
    #expect(putBack == 20)
  }
}
