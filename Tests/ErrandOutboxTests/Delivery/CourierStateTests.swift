import ErrandTesting
import Testing

@testable import ErrandOutbox

struct CourierStateTests {
  private var state = CourierState(capacity: 4, beat: .seconds(60))

  private mutating func claimed(_ count: Int, of limit: Int, at now: Duration = .zero) -> Int? {
    state.claimed(count, of: limit, hasMore: false, at: now)
  }

  @Test mutating func `claims as many as there is room for, one claim at a time`() {
    #expect(state.want(at: .zero) == 4)
    #expect(state.want(at: .zero) == nil)
    // It was wanted again meanwhile.
    #expect(claimed(1, of: 4) == 3)
    #expect(claimed(0, of: 3) == nil)
    #expect(state.inFlight == 1)
    #expect(state.want(at: .zero) == 3)
  }

  @Test mutating func `claims again when a try ends, for it may have made another one free`() {
    #expect(state.want(at: .zero) == 4)
    #expect(claimed(4, of: 4) == nil)
    #expect(state.ended(hasReached: true, at: .zero) == 1)
    #expect(state.ended(hasReached: true, at: .zero) == nil)
    #expect(claimed(0, of: 1) == 2)
  }

  @Test mutating func `does not ask again when a claim brought less than it had room for`() {
    #expect(state.want(at: .zero) == 4)
    #expect(claimed(0, of: 4) == nil)
    #expect(!state.isOver)
  }

  @Test mutating func `wants again after a claim that failed, when it is asked`() {
    #expect(state.want(at: .zero) == 4)
    state.claimFailed()
    #expect(state.want(at: .zero) == 4)
  }

  @Test mutating func `without a network it claims on the beat only, and goes on when the network is back`() {
    state.isOffline = true
    #expect(state.want(at: .zero) == nil)
    #expect(state.want(at: .zero, onBeat: true) == 4)
    #expect(claimed(4, of: 4) == nil)
    #expect(state.ended(hasReached: false, at: .zero) == nil)
    #expect(state.isOnline(at: .zero) == 1)
  }

  @Test
  mutating func
    `when nothing gets through it sends one probe at a time, at growing distances up to the beat`()
  {
    #expect(state.want(at: .zero) == 4)
    #expect(claimed(4, of: 4) == nil)
    var now = Duration.zero
    var probes: [Duration] = []
    var inFlight = 4
    for _ in 0..<40 {
      var limit = state.ended(hasReached: false, at: now)
      inFlight -= 1
      if limit == nil, inFlight == 0 {
        guard let wakeUp = state.wakeUp else {
          Issue.record("it never wants to be woken")
          return
        }
        probes.append(wakeUp - now)
        now = wakeUp
        limit = state.want(at: now)
        #expect(limit == 1)
      }
      if let limit {
        #expect(state.claimed(limit, of: limit, hasMore: false, at: now) == nil)
        inFlight += limit
      }
    }
    #expect(probes.first.map { $0 <= .seconds(16) } == true)
    #expect(probes.last == .seconds(60))
    #expect(zip(probes, probes.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test mutating func `one try that gets through ends the probing`() {
    #expect(state.want(at: .zero) == 4)
    #expect(claimed(4, of: 4) == nil)
    for _ in 0..<4 {
      let limit = state.ended(hasReached: false, at: .zero)
      if let limit { _ = claimed(limit, of: limit) }
    }
    while !state.isProbing {
      guard let limit = state.ended(hasReached: false, at: .zero) else { continue }
      _ = claimed(limit, of: limit)
    }
    _ = state.ended(hasReached: true, at: .zero)
    #expect(!state.isProbing)
  }

  @Test mutating func `begins nothing after it was stopped, and is over when all has ended`() {
    #expect(state.want(at: .zero) == 4)
    state.stop()
    #expect(!state.isOver)
    #expect(claimed(2, of: 4) == nil)
    #expect(state.ended(hasReached: true, at: .zero) == nil)
    #expect(!state.isOver)
    #expect(state.ended(hasReached: nil, at: .zero) == nil)
    #expect(state.isOver)
  }

  @Test(arguments: 1...200)
  func `whatever happens, there is never more than room for, nor two claims at once`(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let capacity = Int.random(in: 1...8, using: &random)
    var state = CourierState(capacity: capacity, beat: .seconds(60))
    var now = Duration.zero
    var asked: Int?
    func check(_ limit: Int?) {
      guard let limit else { return }
      #expect(asked == nil)
      #expect(limit > 0 && limit + state.inFlight <= capacity)
      asked = limit
    }
    for _ in 0..<300 {
      now += .milliseconds(Int.random(in: 0...2000, using: &random))
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1: check(state.want(at: now, onBeat: Bool.random(using: &random)))
      case 2: state.isOffline = true
      case 3: check(state.isOnline(at: now))
      case 4...6:
        guard let limit = asked else { continue }
        asked = nil
        if Int.random(in: 0..<8, using: &random) == 0 {
          state.claimFailed()
        } else {
          let count = Int.random(in: 0...limit, using: &random)
          check(state.claimed(count, of: limit, hasMore: Bool.random(using: &random), at: now))
        }
      default:
        guard state.inFlight > 0 else { continue }
        check(state.ended(hasReached: [true, false, nil].randomElement(using: &random) ?? nil, at: now))
      }
      #expect(state.inFlight >= 0 && state.inFlight <= capacity)
      #expect(state.isClaiming == (asked != nil))
    }
  }
}
