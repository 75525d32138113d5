import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

struct DispatchStateTests {
  private var state = DispatchState(concurrency: 4, probes: 8, limits: .sample)
  private var number: Int64 = 0
  private var sent: [Lease] = []

  private mutating func claimed(
    _ counts: [String: Int], of order: DispatchState.Order, lane: String? = nil, hasMore: Bool = false
  ) {
    state.claimed(counts, of: order, from: &number, lane: lane, hasMore: hasMore)
  }

  private mutating func wanted(at now: Duration = .zero) throws -> DispatchState.Order {
    state.want()
    return try claim(at: now)
  }

  private mutating func claim(at now: Duration) throws -> DispatchState.Order {
    let order = state.claim(at: now)
    return try #require(order)
  }

  @discardableResult
  private mutating func begin(_ origin: String, at now: Duration = .zero) -> Bool {
    guard let row = state.begin(origin, at: now) else { return false }
    sent.append(row.lease)
    return true
  }

  private mutating func end(
    _ sign: OriginSign = .responded, hasReached: Bool? = true, at now: Duration = .zero
  ) {
    let outcome = FinishedAttempt.Outcome.delivered(response: Data())
    let finished = FinishedAttempt(lease: sent.removeFirst(), outcome: outcome)
    state.ended(finished, sign, hasReached: hasReached, at: now)
  }

  private let missed = OriginSign.failed(reason: "no way", .unreachable)

  @Test
  mutating func `a dispatcher claims one request of an unknown origin, and several of one that responds`()
    throws
  {
    var order = try wanted()
    #expect(order.wish.capacities["a"] == nil && order.wish.others == 8)
    claimed(["a": 1], of: order)
    // One claim at a time, and none without need.
    do {
      let none = state.claim(at: .zero)
      #expect(none == nil)
    }
    begin("a")
    end()
    state.record()
    order = try claim(at: .zero)
    #expect(order.wish.capacities["a"] == 8)
    claimed(["a": 8], of: order)
    #expect(begin("a") && begin("a") && !begin("a"))
    // Enough rows wait for that origin.
    do {
      let none = state.claim(at: .zero)
      #expect(none == nil)
    }
  }

  @Test mutating func `a dispatcher claims again at once only if a claim reports more rows`() throws {
    let order = try wanted()
    claimed([:], of: order)
    do {
      let none = state.claim(at: .zero)
      #expect(none == nil)
    }
    claimed([:], of: try wanted(), hasMore: true)
    do {
      let some = state.claim(at: .zero)
      #expect(some != nil)
    }
  }

  @Test mutating func `an attempt that ends during an empty claim causes another claim`()
    throws
  {
    claimed(["a": 1], of: try wanted())
    begin("a")
    end()
    let order = try wanted()
    // The store made this claim before it recorded the end, but the end is reported first.
    state.record()
    claimed([:], of: order)
    _ = try claim(at: .zero)
  }

  @Test
  mutating func `the next request of a lane is claimed even if the origin of the previous one is held`()
    throws
  {
    claimed(["a": 1], of: try wanted(), lane: "x")
    begin("a")
    end(.unauthorized(reason: "no"))
    state.record()
    let order = try claim(at: .zero)
    #expect(order.wish.capacities["a"] == 0 && order.wish.others > 0)
  }

  @Test
  mutating func `failing origins without rows to send take no probe, and cause no repeated claims`()
    throws
  {
    let names = (0..<8).map { "dead \($0)" }
    claimed(Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }), of: try wanted())
    for name in names { begin(name) }
    for _ in names { end(missed, hasReached: false) }
    state.record()
    claimed([:], of: try claim(at: .zero))
    // The rows of these origins now wait for their next attempts.
    var more = 0
    while more < 5, let order = state.claim(at: .zero) {
      more += 1
      claimed([:], of: order)
    }
    #expect(more <= 1)
    #expect(try wanted().wish.others == 8)
  }

  @Test
  mutating func
    `an origin that wants a row is not claimed for repeatedly while no probe is free`()
    throws
  {
    let first = ["z"] + (0..<7).map { "slow \($0)" }
    claimed(Dictionary(uniqueKeysWithValues: first.map { ($0, 1) }), of: try wanted())
    for name in first { begin(name) }
    end(missed, hasReached: false)
    claimed(["slow 7": 1], of: try wanted())
    begin("slow 7")
    state.record()
    if let order = state.claim(at: .zero) { claimed([:], of: order) }
    let again = state.claim(at: .zero)
    #expect(again == nil)
    // A released probe is used.
    end()
    _ = try claim(at: .zero)
  }

  @Test mutating func `a dispatcher without a network claims at once for an origin that responds`() throws {
    claimed(["local": 1, "far": 1], of: try wanted())
    begin("local")
    begin("far")
    state.isOffline = true
    end()
    end(missed, hasReached: false)
    state.record()
    _ = try wanted()
  }

  @Test func `limits of Int.max do not overflow`() throws {
    var state = DispatchState(concurrency: .max, probes: .max, limits: .sample)
    state.want()
    let order = state.claim(at: .zero)
    #expect(try #require(order).limit > 1000)
  }

  @Test mutating func `a dispatcher sends nothing more while ended attempts cannot be recorded`() throws {
    let order = try wanted()
    claimed(["a": 1, "b": 1], of: order)
    begin("a")
    end()
    state.isStuck = true
    #expect(!state.mayBegin("b"))
    state.want()
    do {
      let none = state.claim(at: .zero)
      #expect(none == nil)
    }
    state.record()
    #expect(state.mayBegin("b"))
  }

  @Test mutating func `a dispatcher claims again 2 s after a failed claim`() throws {
    _ = try wanted()
    state.claimFailed(at: .zero)
    // An immediate claim would fail again.
    do {
      let none = state.claim(at: .zero)
      #expect(none == nil)
    }
    #expect(state.wakeUp == .seconds(2))
    do {
      let some = state.claim(at: .seconds(2))
      #expect(some != nil)
    }
  }

  @Test mutating func `a dispatcher without a network claims only on polls, until the network returns`()
    throws
  {
    state.isOffline = true
    // A request may be for this machine itself.
    claimed(["a": 1], of: try wanted())
    begin("a")
    end(missed, hasReached: false)
    state.record()
    state.want()
    do {
      let none = state.claim(at: .zero)
      #expect(none == nil)
    }
    state.want(onPoll: true)
    let order = try claim(at: .zero)
    claimed(["a": 1], of: order)
    begin("a")
    end(missed, hasReached: false)
    state.record()
    state.want()
    do {
      let none = state.claim(at: .zero)
      #expect(none == nil)
    }
    state.isOnline()
    do {
      let some = state.claim(at: .zero)
      #expect(some != nil)
    }
  }

  @Test mutating func `claims skip a failing origin until its next probe is due`() throws {
    for now in 0..<3 {
      claimed(["dead": 1, "well": 1], of: try wanted())
      begin("dead")
      begin("well")
      end(missed, hasReached: false, at: .milliseconds(now))
      end()
      state.record()
    }
    var order = try wanted()
    #expect(order.wish.capacities["dead"] == 0 && order.wish.capacities["well"] ?? 0 > 0)
    claimed([:], of: order)
    #expect(state.wakeUp.map { $0 <= .milliseconds(1002) } ?? false)
    let wakeUp = Duration.milliseconds(1002)
    order = try claim(at: wakeUp)
    #expect(order.wish.capacities["dead"] ?? 0 > 0)
    claimed(["dead": 1], of: order)
    #expect(begin("dead", at: wakeUp) && !begin("dead", at: wakeUp))
  }

  @Test mutating func `an origin that another process released is probed at once, if its hold was recorded`()
    throws
  {
    for number in 1...3 {
      claimed(["a": 1], of: try wanted())
      begin("a")
      end(missed)
      if number < 3 { state.record() }
    }
    // The hold is not recorded yet, so its absence from the held origins proves nothing.
    claimed([:], of: try wanted())
    #expect(!state.mayBegin("a"))
    state.record()
    claimed([:], of: try wanted())
    #expect(state.mayBegin("a"))
    // The next claim asks for its rows at once.
    #expect(try claim(at: .zero).wish.capacities["a"] ?? 0 > 0)
  }

  @Test mutating func `a stopped dispatcher starts nothing, and ends when everything is recorded`() throws {
    claimed(["a": 1, "b": 1, "c": 1], of: try wanted())
    begin("a")
    begin("b")
    state.stop()
    #expect(state.givesBack("c") && !state.mayBegin("c"))
    let recorded = state.step(at: .zero, ticks: 0).ended
    #expect(recorded?.map(\.outcome) == [.returned])
    end()
    end()
    #expect(!state.isOver)
    state.endRecording(isDone: true)
    #expect(!state.isOver)
    state.record()
    #expect(state.isOver)
    state.want()
    do {
      let none = state.claim(at: .zero)
      #expect(none == nil)
    }
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func
    `a dispatcher never has two claims at once, and its wake-up time never stays in the past`(
      _ seed: UInt64
    )
  {
    var random = SeededRandom(seed: seed)
    let concurrency = Int.random(in: 1...8, using: &random)
    var state = DispatchState(concurrency: concurrency, probes: 3, limits: .sample)
    var now = Duration.zero
    var order: DispatchState.Order?
    var waiting: [String: Int] = [:]
    var sent: [Lease] = []
    var number: Int64 = 0
    var isRecording = false
    let names = ["a", "b", "c", "d", "e"]
    func check(_ found: DispatchState.Order?) {
      guard let found else { return }
      #expect(order == nil && found.limit > 0)
      order = found
    }
    for _ in 0..<600 {
      now += .milliseconds(Int.random(in: 0...700, using: &random))
      let name = names[Int.random(in: names.indices, using: &random)]
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1:
        state.want(onPoll: Bool.random(using: &random))
        check(state.claim(at: now))
      case 2: state.isOffline = true
      case 3: state.isOnline()
      case 4...6:
        guard let claim = order else { continue }
        order = nil
        if Int.random(in: 0..<8, using: &random) == 0 {
          state.claimFailed(at: now)
        } else {
          var counts: [String: Int] = [:]
          var others = claim.wish.others
          for name in names {
            let capacity = claim.wish.capacities[name] ?? min(1, others)
            if claim.wish.capacities[name] == nil { others -= capacity }
            let count = Int.random(in: 0...capacity, using: &random)
            if count > 0 { counts[name] = count }
          }
          state.claimed(counts, of: claim, from: &number, hasMore: Bool.random(using: &random))
          waiting.merge(counts, uniquingKeysWith: +)
        }
      case 7, 8:
        guard waiting[name, default: 0] > 0, state.mayBegin(name) else { continue }
        waiting[name, default: 0] -= 1
        guard let row = state.begin(name, at: now) else {
          Issue.record("a row of \(name) was not started")
          continue
        }
        sent.append(row.lease)
      case 9:
        if isRecording {
          isRecording = false
          state.endRecording(isDone: true)
          check(state.claim(at: now))
        } else {
          isRecording = state.inFlight.beginRecording() != nil
        }
      default:
        guard !sent.isEmpty else { continue }
        let lease = sent.remove(at: Int.random(in: sent.indices, using: &random))
        let signs: [OriginSign] = [.responded, .none, missed, .busy(reason: "", for: .seconds(3))]
        let sign = signs[Int.random(in: signs.indices, using: &random)]
        let outcome: FinishedAttempt.Outcome = sign == .none ? .returned : .delivered(response: Data())
        state.ended(
          FinishedAttempt(lease: lease, outcome: outcome), sign,
          hasReached: sign == .none ? nil : sign != missed, at: now)
      }
      for name in names where state.givesBack(name) { waiting[name] = 0 }
      state.giveBack()
      #expect(state.inFlight.sending == sent.count && state.inFlight.waiting == waiting.values.reduce(0, +))
      #expect(state.demand.isClaiming == (order != nil))
      if let wakeUp = state.wakeUp, wakeUp <= now {
        // Otherwise a timer for `wakeUp` would fire forever.
        check(state.claim(at: now))
        #expect(state.wakeUp.map { $0 > now } ?? true)
      }
    }
  }
}
