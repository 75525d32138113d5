import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct IgnoreStateTests {
  private func isSent(_ decision: IgnoreState.Decision) -> Bool {
    if case .send = decision { true } else { false }
  }

  @Test func `a repeat is ignored until the window ends, and the next request begins a new window`() {
    var state = IgnoreState()
    let first = state.admit("a", within: .seconds(3), at: .seconds(10))
    #expect(first == .send(timer: .milliseconds(13_100)))
    for now in [Duration.seconds(10), .seconds(11), .milliseconds(12_999)] {
      let repeated = state.admit("a", within: .seconds(3), at: now)
      #expect(repeated == .ignore(sent: now - .seconds(10), window: .seconds(3)))
    }
    let second = state.admit("a", within: .seconds(3), at: .seconds(13))
    #expect(isSent(second))
    let third = state.admit("a", within: .seconds(3), at: .milliseconds(15_999))
    #expect(!isSent(third))
    let fourth = state.admit("a", within: .seconds(3), at: .seconds(16))
    #expect(isSent(fourth))
  }

  @Test func `an ignored repeat does not prolong the window`() {
    var state = IgnoreState()
    var sent = 0
    for tenth in 0..<100 where isSent(state.admit("a", within: .seconds(3), at: .milliseconds(tenth * 100))) {
      sent += 1
    }
    #expect(sent == 4)
  }

  @Test func `the end of an old window does not affect the new one`() {
    var state = IgnoreState()
    _ = state.admit("a", within: .seconds(1), at: .zero)
    _ = state.admit("a", within: .seconds(1), at: .seconds(1))
    let next = state.expire(at: .milliseconds(1100))
    #expect(next == .milliseconds(2100))
    let repeated = state.admit("a", within: .seconds(1), at: .milliseconds(1999))
    #expect(!isSent(repeated))
    let last = state.expire(at: .milliseconds(2100))
    #expect(last == nil)
    #expect(state.isEmpty)
  }

  @Test func `the window is that of the request that was sent, and keys are independent`() {
    var state = IgnoreState()
    _ = state.admit("a", within: .seconds(1), at: .zero)
    let longer = state.admit("a", within: .seconds(60), at: .milliseconds(500))
    #expect(longer == .ignore(sent: .milliseconds(500), window: .seconds(1)))
    let other = state.admit("b", within: .seconds(1), at: .milliseconds(500))
    #expect(isSent(other))
    let after = state.admit("a", within: .seconds(60), at: .seconds(1))
    #expect(isSent(after))
    let shorter = state.admit("a", within: .seconds(1), at: .seconds(59))
    #expect(!isSent(shorter))
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `an interval of zero or less ignores nothing and is not remembered`(interval: Duration) {
    var state = IgnoreState()
    for _ in 0..<3 {
      let decision = state.admit("a", within: interval, at: .seconds(1))
      #expect(decision == .send(timer: nil))
    }
    #expect(state.isEmpty)
  }

  @Test func `an infinite interval does not overflow`() {
    var state = IgnoreState()
    _ = state.admit("a", within: .seconds(Int64.max), at: .seconds(1))
    let repeated = state.admit("a", within: .seconds(1), at: .seconds(1_000_000))
    #expect(!isSent(repeated))
  }

  @Test(.computesLong) func `twenty thousand keys leave nothing behind`() {
    var state = IgnoreState()
    var ring: Duration?
    for index in 0..<20_000 {
      let now = Duration.milliseconds(index / 10)
      if let due = ring, due <= now { ring = state.expire(at: now) }
      if case .send(let timer?) = state.admit(RequestKey(index), within: .seconds(1), at: now) {
        ring = min(ring ?? timer, timer)
      }
    }
    while let due = ring { ring = state.expire(at: due) }
    #expect(state.isEmpty)
  }

  @Test(.computesLong, arguments: 1...10)
  func `a key is sent again only after the window of its last request has ended`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var state = IgnoreState()
    var now = Duration.zero
    var ends: [Int: Duration] = [:]
    var ring: Duration?
    for _ in 0..<5000 {
      now += .milliseconds(Int.random(in: 0...60, using: &random))
      if let due = ring, due <= now { ring = state.expire(at: now) }
      let key = Int.random(in: 0..<8, using: &random)
      let interval = Duration.milliseconds(Int.random(in: 1...2000, using: &random))
      switch state.admit(RequestKey(key), within: interval, at: now) {
      case .send(let timer):
        #expect(ends[key].map { $0 <= now } ?? true)
        ends[key] = now + interval
        if let timer { ring = min(ring ?? timer, timer) }
      case .ignore: #expect(ends[key].map { now < $0 } == true)
      }
    }
    while let due = ring { ring = state.expire(at: due) }
    #expect(state.isEmpty)
  }
}
