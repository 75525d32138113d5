import ErrandTesting
import Testing

@testable import ErrandOutbox

extension OriginState.Limits {
  static let sample = OriginState.Limits(
    perOrigin: 4, firstPause: .seconds(1), longestPause: .seconds(60), longestUnauthorized: .seconds(600))
}

struct DispatchStateTests {
  private var state = DispatchState(concurrency: 4, probes: 8, limits: .sample)
  private var number: Int64 = 0
  private var sent: [Lease] = []

  private mutating func claimed(
    _ counts: [String: Int], of order: DispatchState.Order, hasMore: Bool = false
  ) {
    state.claimed(counts, of: order, hasMore: hasMore, held: [])
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
    guard state.mayBegin(origin) else { return false }
    number += 1
    sent.append(Lease(id: OutboxID(rawValue: "\(number)"), number: number))
    state.begin(sent[sent.count - 1], origin, at: now)
    return true
  }

  private mutating func end(
    _ sign: OriginSign = .responded, hasReached: Bool? = true, at now: Duration = .zero
  ) {
    _ = state.responded(sent.removeFirst(), sign, hasReached: hasReached, at: now)
  }

  private let missed = OriginSign.failed(reason: "no way", hasResponded: false)

  @Test
  mutating func `a dispatcher claims one request of an unknown origin, and ahead for one that responds`()
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
    state.recorded(1, of: ["a"])
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

  @Test mutating func `an attempt that ends during a claim leads to another, though that claim was empty`()
    throws
  {
    claimed(["a": 1], of: try wanted())
    begin("a")
    end()
    let order = try wanted()
    // The store made this claim before it recorded the end, but the end is reported first.
    state.recorded(1, of: ["a"])
    claimed([:], of: order)
    _ = try claim(at: .zero)
  }

  @Test
  mutating func `the next request of a lane is claimed, though the origin of the one before it is held`()
    throws
  {
    claimed(["a": 1], of: try wanted())
    begin("a")
    end(.unauthorized(reason: "no"))
    state.recorded(1, of: ["a"], hadLanes: true)
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
    state.recorded(8, of: Set(names))
    claimed([:], of: try claim(at: .zero))
    // The rows of these origins wait for their next attempts now.
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
    state.recorded(1, of: ["z"])
    if let order = state.claim(at: .zero) { claimed([:], of: order) }
    let again = state.claim(at: .zero)
    #expect(again == nil)
    // A probe that becomes free is used.
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
    state.recorded(2, of: ["local", "far"])
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
    state.recorded(1, of: ["a"])
    #expect(state.mayBegin("b"))
  }

  @Test mutating func `a dispatcher claims again 2 s after a claim failed`() throws {
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

  @Test mutating func `a dispatcher without a network claims on polls only, until the network is back`()
    throws
  {
    state.isOffline = true
    // A request may be for this machine itself.
    claimed(["a": 1], of: try wanted())
    begin("a")
    end(missed, hasReached: false)
    state.recorded(1, of: ["a"])
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
    state.recorded(1, of: ["a"])
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
      state.recorded(2, of: ["dead", "well"])
    }
    var order = try wanted()
    #expect(order.wish.capacities["dead"] == 0 && order.wish.capacities["well"] ?? 0 > 0)
    claimed([:], of: order)
    #expect(state.wakeUp.map { $0 <= .milliseconds(1002) } ?? false)
    let wakeUp = Duration.milliseconds(1002)
    order = try claim(at: wakeUp)
    #expect(order.wish.capacities["dead"] == 1)
    claimed(["dead": 1], of: order)
    #expect(begin("dead", at: wakeUp) && !begin("dead", at: wakeUp))
  }

  @Test mutating func `an origin that another process released is probed at once, if its hold was recorded`()
    throws
  {
    for _ in 0..<3 {
      claimed(["a": 1], of: try wanted())
      begin("a")
      end(missed)
      state.recorded(1, of: ["a"])
    }
    // The hold is not recorded yet, so its absence from the held origins means nothing.
    claimed([:], of: try wanted())
    #expect(!state.mayBegin("a"))
    state.origins.recordedHold("a")
    claimed([:], of: try wanted())
    #expect(state.mayBegin("a"))
    // The next claim asks for its rows at once.
    #expect(try claim(at: .zero).wish.capacities["a"] == 1)
  }

  @Test mutating func `a stopped dispatcher begins nothing, and is over once all is recorded`() throws {
    claimed(["a": 1, "b": 1, "c": 1], of: try wanted())
    begin("a")
    begin("b")
    state.stop()
    #expect(state.givesBack("c") && !state.mayBegin("c"))
    state.drop(1, of: "c", isRecorded: true)
    end()
    end()
    #expect(!state.isOver)
    state.recorded(3, of: ["a", "b", "c"])
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
    var flying: [Lease] = []
    var number: Int64 = 0
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
          state.claimed(counts, of: claim, hasMore: Bool.random(using: &random), held: [])
          waiting.merge(counts, uniquingKeysWith: +)
        }
      case 7, 8:
        guard waiting[name, default: 0] > 0, state.mayBegin(name) else { continue }
        waiting[name, default: 0] -= 1
        number += 1
        flying.append(Lease(id: OutboxID(rawValue: "\(number)"), number: number))
        state.begin(flying[flying.count - 1], name, at: now)
      case 9:
        guard state.recording > 0 else { continue }
        state.recorded(Int.random(in: 1...state.recording, using: &random), of: Set(names))
        check(state.claim(at: now))
      default:
        guard !flying.isEmpty else { continue }
        let lease = flying.remove(at: Int.random(in: flying.indices, using: &random))
        let signs: [OriginSign] = [.responded, .none, missed, .busy(reason: "", for: .seconds(3))]
        let sign = signs[Int.random(in: signs.indices, using: &random)]
        _ = state.responded(lease, sign, hasReached: sign == .none ? nil : sign != missed, at: now)
      }
      for name in names where state.givesBack(name) {
        state.drop(waiting[name, default: 0], of: name, isRecorded: true)
        waiting[name] = 0
      }
      #expect(state.sending == flying.count && state.waiting == waiting.values.reduce(0, +))
      #expect(state.isClaiming == (order != nil))
      if let wakeUp = state.wakeUp, wakeUp <= now {
        // Otherwise a timer for `wakeUp` would fire for ever.
        check(state.claim(at: now))
        #expect(state.wakeUp.map { $0 > now } ?? true)
      }
    }
  }
}
