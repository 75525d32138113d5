import ErrandTesting
import Testing

@testable import ErrandOutbox

struct CourierStateTests {
  private var state = CourierState(concurrency: 4, beat: .seconds(60))

  private mutating func claim(_ count: Int, of limit: Int, hasMore: Bool = false, at now: Duration = .zero) {
    state.claimed(count, of: limit, hasMore: hasMore)
  }

  private mutating func beginAll() -> Int {
    var count = 0
    while state.begin() { count += 1 }
    return count
  }

  @Test mutating func `claims four times as many as it sends at once, one claim at a time`() {
    #expect(state.want(at: .zero) == 16)
    #expect(state.want(at: .zero) == nil)
    claim(16, of: 16)
    #expect(beginAll() == 4)
    #expect(state.waiting == 12 && state.sending == 4)
    // Enough for a while.
    #expect(state.claim(at: .zero) == nil)
  }

  @Test mutating func `claims again when little is left to send`() {
    #expect(state.want(at: .zero) == 16)
    claim(16, of: 16)
    #expect(beginAll() == 4)
    for _ in 0..<4 {
      #expect(state.claim(at: .zero) == nil)
      state.answered(hasReached: true, at: .zero)
      #expect(state.begin() == true)
    }
    #expect(state.claim(at: .zero) == 8)
  }

  @Test mutating func `does not ask again when a claim brought less than it had room for`() {
    #expect(state.want(at: .zero) == 16)
    claim(0, of: 16)
    #expect(state.claim(at: .zero) == nil)
    #expect(state.want(at: .zero) == 16)
    claim(1, of: 16, hasMore: true)
    #expect(state.claim(at: .zero) == 15)
  }

  @Test mutating func `claims again when an end is recorded, for that may have made another one free`() {
    #expect(state.want(at: .zero) == 16)
    claim(1, of: 16)
    #expect(beginAll() == 1)
    state.answered(hasReached: true, at: .zero)
    #expect(state.claim(at: .zero) == nil)
    state.recorded(1)
    #expect(state.claim(at: .zero) == 16)
  }

  @Test mutating func `sends nothing more while what has ended cannot be recorded`() {
    #expect(state.want(at: .zero) == 16)
    claim(16, of: 16)
    #expect(state.begin() == true)
    state.answered(hasReached: true, at: .zero)
    state.isStuck = true
    #expect(state.begin() == false)
    #expect(state.want(at: .zero) == nil)
    state.recorded(1)
    #expect(state.begin() == true)
  }

  @Test mutating func `wants again after a claim that failed, when it is asked`() {
    #expect(state.want(at: .zero) == 16)
    state.claimFailed(at: .zero)
    // Not at once: it would fail again, and again.
    #expect(state.claim(at: .zero) == nil)
    #expect(state.wakeUp == .seconds(2))
    #expect(state.want(at: .seconds(2)) == 16)
  }

  @Test mutating func `without a network it claims on the beat only, and goes on when the network is back`() {
    state.isOffline = true
    // It may be for this machine itself.
    #expect(state.want(at: .zero) == 16)
    claim(1, of: 16)
    #expect(beginAll() == 1)
    state.answered(hasReached: false, at: .zero)
    state.recorded(1)
    #expect(state.want(at: .zero) == nil)
    #expect(state.want(at: .zero, onBeat: true) == 16)
    claim(1, of: 16)
    #expect(beginAll() == 1)
    state.answered(hasReached: false, at: .zero)
    state.recorded(1)
    #expect(state.want(at: .zero) == nil)
    #expect(state.isOnline(at: .zero) == 16)
  }

  @Test mutating func `without a network it goes on as long as its tries get through`() {
    state.isOffline = true
    for _ in 0..<3 {
      #expect(state.want(at: .zero) == 16)
      claim(1, of: 16)
      #expect(beginAll() == 1)
      state.answered(hasReached: true, at: .zero)
      state.recorded(1)
    }
  }

  @Test
  mutating func
    `when nothing gets through it sends one probe at a time, at growing distances up to the beat`()
    throws
  {
    var now = Duration.zero
    var probes: [Duration] = []
    _ = state.want(at: now).map { claim($0, of: $0) }
    while probes.count < 10 {
      if state.begin() {
        state.answered(hasReached: false, at: now)
        state.recorded(1 + state.giveBack())
        continue
      }
      if let limit = state.claim(at: now) {
        claim(limit, of: limit)
        continue
      }
      let wakeUp = try #require(state.wakeUp)
      probes.append(wakeUp - now)
      now = wakeUp
      #expect(state.want(at: now) == 1)
      claim(1, of: 1)
    }

    #expect(probes.last == .seconds(60))
    #expect(zip(probes, probes.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test mutating func `it does not want to be woken for a probe that it may not send`() {
    _ = state.want(at: .zero).map { claim($0, of: $0) }
    for _ in 0..<8 {
      _ = state.begin()
      state.answered(hasReached: false, at: .zero)
    }
    state.recorded(8 + state.giveBack())
    #expect(state.wakeUp == .seconds(1))
    state.isOffline = true
    #expect(state.wakeUp == nil)
    #expect(state.want(at: .seconds(60), onBeat: true) == 1)
    claim(0, of: 1)
    state.isOffline = false
    #expect(state.want(at: .seconds(60)) == 1)
    state.claimFailed(at: .seconds(60))
    state.isStuck = true
    #expect(state.wakeUp == nil)
  }

  @Test mutating func `one try that gets through ends the probing`() {
    _ = state.want(at: .zero).map { claim($0, of: $0) }
    for _ in 0..<8 {
      #expect(state.begin() == true)
      state.answered(hasReached: false, at: .zero)
    }
    #expect(state.isProbing)
    #expect(state.giveBack() == 8)
    state.recorded(16)
    #expect(state.claim(at: .zero) == nil)
    #expect(state.claim(at: .seconds(1)) == 1)
    claim(1, of: 1)
    #expect(state.giveBack() == 0)
    #expect(state.begin() == true)
    state.answered(hasReached: true, at: .seconds(1))
    #expect(!state.isProbing)
    state.recorded(1)
    #expect(state.claim(at: .seconds(1)) == 16)
  }

  @Test mutating func `what was claimed before probing began is given back`() {
    _ = state.want(at: .zero).map { claim($0, of: $0) }
    #expect(state.giveBack() == 0)
    for _ in 0..<8 {
      _ = state.begin()
      state.answered(hasReached: false, at: .zero)
    }
    #expect(state.giveBack() == 8)
    #expect(state.waiting == 0 && state.recording == 16)
    #expect(state.begin() == false)
  }

  @Test mutating func `begins nothing after it was stopped, and is over when all has ended`() {
    #expect(state.want(at: .zero) == 16)
    claim(6, of: 16)
    #expect(beginAll() == 4)
    state.stop()
    #expect(state.giveBack() == 2)
    #expect(state.begin() == false)
    for _ in 0..<4 { state.answered(hasReached: true, at: .zero) }
    #expect(!state.isOver)
    state.recorded(6)
    #expect(state.isOver)
    #expect(state.want(at: .zero) == nil)
  }

  @Test(arguments: 1...200)
  func `whatever happens, there is never more than room for, nor two claims at once`(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let concurrency = Int.random(in: 1...8, using: &random)
    var state = CourierState(concurrency: concurrency, beat: .seconds(60))
    var now = Duration.zero
    var asked: Int?
    func check(_ limit: Int?) {
      guard let limit else { return }
      #expect(asked == nil)
      #expect(limit > 0 && limit + state.waiting <= 4 * concurrency)
      asked = limit
    }
    for _ in 0..<400 {
      now += .milliseconds(Int.random(in: 0...2000, using: &random))
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1: check(state.want(at: now, onBeat: Bool.random(using: &random)))
      case 2: state.isOffline = true
      case 3: check(state.isOnline(at: now))
      case 4...6:
        guard let limit = asked else { continue }
        asked = nil
        if Int.random(in: 0..<8, using: &random) == 0 {
          state.claimFailed(at: now)
        } else {
          state.claimed(
            Int.random(in: 0...limit, using: &random), of: limit, hasMore: Bool.random(using: &random))
        }
        check(state.claim(at: now))
      case 7, 8: _ = state.begin()
      case 9:
        guard state.recording > 0 else { continue }
        state.recorded(Int.random(in: 1...state.recording, using: &random))
        check(state.claim(at: now))
      default:
        guard state.sending > 0 else { continue }
        state.answered(hasReached: [true, false, nil].randomElement(using: &random) ?? nil, at: now)
      }
      _ = state.giveBack()
      #expect(!state.isProbing || state.waiting + state.sending <= max(1, state.sending))
      #expect(state.sending >= 0 && state.sending <= concurrency && state.waiting >= 0)
      #expect(state.isClaiming == (asked != nil))
      if let wakeUp = state.wakeUp, wakeUp <= now {
        // Else whoever asks when it wants to be woken asks for ever.
        let limit = state.claim(at: now)
        #expect(limit != nil)
        check(limit)
      }
    }
  }
}
