import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct RateLimiterStateTests {
  /// A limiter whose attempts begin as soon as they may.
  private struct State {
    var base = RateLimiterState<Int>(ageing: .seconds(5), longestQuota: .seconds(60))
    var waiting: Int { base.waiting }
    var inFlight: Int { base.inFlight }
    var count: Int { base.count }
    var nextAlarm: Duration? { base.nextAlarm }

    mutating func passAtOnce(_ subject: RateSubject, at now: Duration)
      -> (RatePass?, [RateLimiterState<Int>.Start])
    {
      let (pass, started) = base.passAtOnce(subject, at: now)
      return (pass, begun(pass, started, at: now))
    }

    mutating func arrive(_ payload: Int, _ priority: Priority, _ subject: RateSubject, at now: Duration)
      -> (QueueArrival<RatePass>, [RateLimiterState<Int>.Start])
    {
      let (arrival, started) = base.arrive(payload, priority, subject, at: now)
      if case .started(let pass) = arrival { return (arrival, begun(pass, started, at: now)) }
      return (arrival, begun(nil, started, at: now))
    }

    mutating func leave(_ ticket: Ticket) -> Int? { base.leave(ticket) }

    mutating func move(_ ticket: Ticket, to priority: Priority) { base.move(ticket, to: priority) }

    mutating func finish(_ pass: RatePass, at now: Duration) -> [RateLimiterState<Int>.Start] {
      begun(nil, base.finish(pass, at: now), at: now)
    }

    mutating func advance(to now: Duration) -> [RateLimiterState<Int>.Start] {
      begun(nil, base.advance(to: now), at: now)
    }

    private mutating func begun(
      _ pass: RatePass?, _ started: [RateLimiterState<Int>.Start], at now: Duration
    ) -> [RateLimiterState<Int>.Start] {
      var started = started
      if let pass { started += base.begin(pass, at: now) }
      var index = 0
      while index < started.count {
        started += base.begin(started[index].pass, at: now)
        index += 1
      }
      return started
    }
  }

  private static let perSecond = RateLimit(requests: 1, per: .seconds(1))

  private func state() -> State { State() }

  private func subject(_ origin: String = "a", key: String? = nil, _ limit: RateLimit? = perSecond)
    -> RateSubject
  {
    RateSubject(
      origin: origin, group: key.map { .key($0) } ?? .all, originLimit: key == nil ? limit : nil,
      groupLimit: key == nil ? nil : limit)
  }

  /// Lets requests wait, each with this priority, and returns their order of start.
  private func order(_ priorities: [Priority], each interval: Duration = .zero) -> [Int] {
    var state = state()
    guard case (.some(let pass), _) = state.passAtOnce(subject(), at: .zero) else { return [] }
    var started = state.finish(pass, at: .zero)
    for (number, priority) in priorities.enumerated() {
      let (arrival, others) = state.arrive(number, priority, subject(), at: interval * number)
      guard case .waiting = arrival else { return [] }
      started += others
    }
    var now = Duration.zero
    while let alarm = state.nextAlarm {
      now = max(now, alarm)
      started += state.advance(to: now)
    }
    #expect(state.waiting == 0)
    return started.map(\.payload)
  }

  @Test func `waiting requests start by priority, and first in, first out within one`() {
    #expect(order([.default, .background, .userInitiated, .default, .userInitiated]) == [2, 4, 0, 3, 1])
  }

  @Test func `a low priority is not starved, and overtakes with one of eight starts`() {
    let order = order([.background, .background] + [Priority](repeating: .userInitiated, count: 60))
    let places = [0, 1].compactMap { order.firstIndex(of: $0) }
    // A background request is due 15 s after its arrival, like a request of the highest priority that arrives then.
    // These have all arrived at once, so they come first; there are no others to overtake.
    #expect(places == [60, 61])
    let late = self.order(
      [.userInitiated, .userInitiated, .background, .background]
        + [Priority](repeating: .userInitiated, count: 60), each: .milliseconds(500))
    let overtaking = [2, 3].compactMap { late.firstIndex(of: $0) }
    #expect(overtaking[0] > 10 && overtaking[0] < 40)
    #expect(overtaking[1] == overtaking[0] + 8)
  }

  @Test func `a new request does not overtake one that may start`() {
    var state = state()
    _ = state.passAtOnce(subject(), at: .zero)
    _ = state.arrive(1, .background, subject(), at: .zero)
    // The alarm has not fired yet.
    let (pass, started) = state.passAtOnce(subject(), at: .seconds(1))
    #expect(pass == nil)
    #expect(started.map(\.payload) == [1])
  }

  @Test func `an origin or a key that must wait does not hold up others`() {
    var state = state()
    expect(state.passAtOnce(subject("a"), at: .zero).0 != nil)
    expect(state.passAtOnce(subject("a"), at: .zero).0 == nil)
    expect(state.passAtOnce(subject("b"), at: .zero).0 != nil)
    expect(state.passAtOnce(subject("c", key: "x"), at: .zero).0 != nil)
    expect(state.passAtOnce(subject("c", key: "x"), at: .zero).0 == nil)
    expect(state.passAtOnce(subject("c", key: "y"), at: .zero).0 != nil)
    expect(state.passAtOnce(subject("d", key: "x"), at: .zero).0 != nil)
  }

  @Test func `a request with a key passes the limit of its origin, too`() {
    var state = state()
    var both = subject("a", key: "x", RateLimit(requests: 1, per: .seconds(10)))
    both.originLimit = RateLimit(requests: 1, per: .seconds(1), burst: 2)
    expect(state.passAtOnce(both, at: .zero).0 != nil)
    _ = state.arrive(1, .default, both, at: .zero)
    // Another key uses the origin's tokens meanwhile.
    both.group = .key("y")
    expect(state.passAtOnce(both, at: .zero).0 != nil)
    expect(state.passAtOnce(both, at: .seconds(5)).0 == nil, "the key's limit")
    both.group = .key("z")
    expect(state.passAtOnce(both, at: .seconds(10)).0 != nil)
    #expect(state.waiting == 0)
  }

  @Test func `a request that leaves uses no token, and one that moves keeps its arrival`() {
    var state = state()
    _ = state.passAtOnce(subject(), at: .zero)
    var tickets: [Ticket] = []
    for number in 0..<4 {
      if case (.waiting(let ticket), _) = state.arrive(number, .default, subject(), at: .zero) {
        tickets.append(ticket)
      }
    }
    expect(state.leave(tickets[0]) == 0)
    expect(state.leave(tickets[0]) == nil)
    state.move(tickets[3], to: .userInitiated)
    state.move(tickets[1], to: .background)
    state.move(tickets[1], to: .default)
    var order: [Int] = []
    for second in 1...3 { order += state.advance(to: .seconds(second)).map(\.payload) }
    #expect(order == [3, 1, 2])
    expect(state.leave(tickets[2]) == nil)
  }

  @Test func `a pass that was not used lets the next request start`() throws {
    var state = state().base
    let pass = try #require(state.passAtOnce(subject(), at: .zero).0)
    _ = state.arrive(1, .default, subject(), at: .zero)
    expect(state.putBack(pass, at: .zero).map(\.payload) == [1])
  }

  @Test func `a token comes back from the beginning of its attempt on`() throws {
    var state = state().base
    let pair = subject("a", RateLimit(requests: 1, per: .seconds(1), burst: 2))
    let passes = try (0..<2).map { _ in try #require(state.passAtOnce(pair, at: .zero).0) }
    for number in 1...3 { _ = state.arrive(number, .default, pair, at: .zero) }
    expect(state.advance(to: .seconds(10)).isEmpty)
    expect(state.begin(passes[0], at: .seconds(10)).isEmpty)
    expect(state.advance(to: .seconds(10.999)).isEmpty)
    let second = state.advance(to: .seconds(11))
    #expect(second.map(\.payload) == [1])
    // Two wait for slots again, so no third gets a pass.
    expect(state.advance(to: .seconds(20)).isEmpty)
    expect(state.begin(passes[1], at: .seconds(20)).isEmpty)
    expect(state.putBack(second[0].pass, at: .seconds(20)).map(\.payload) == [2])
    expect(state.advance(to: .seconds(21)).map(\.payload) == [3])
  }

  @Test func `a faster limit of a key starts its requests earlier`() {
    var state = state()
    let slow = subject("a", key: "x", RateLimit(requests: 1, per: .seconds(1000)))
    _ = state.passAtOnce(slow, at: .zero)
    _ = state.arrive(1, .default, slow, at: .zero)
    _ = state.arrive(2, .default, slow, at: .zero)
    #expect(state.nextAlarm == .seconds(1000))
    let (pass, started) = state.passAtOnce(
      subject("a", key: "x", RateLimit(requests: 1, per: .seconds(2))), at: .seconds(1))
    #expect(pass == nil && started.isEmpty)
    #expect(state.nextAlarm == .seconds(3) - .milliseconds(2))
    expect(state.advance(to: .seconds(3)).map(\.payload) == [1])
  }

  @Test func `a million idle origins are forgotten, and as many keys`() {
    var state = state()
    for number in 0..<1_000_000 {
      let now = Duration.milliseconds(number)
      let (pass, _) = state.passAtOnce(subject("origin \(number)"), at: now)
      if let pass { _ = state.finish(pass, at: now) }
    }
    // Those of the last second have not got their token back yet.
    #expect(state.count < 5000)
    for number in 0..<200_000 {
      let now = Duration.seconds(1000) + .milliseconds(number)
      let (pass, _) = state.passAtOnce(subject("a", key: "key \(number)"), at: now)
      if let pass { _ = state.finish(pass, at: now) }
    }
    #expect(state.count < 5000)
  }

  @Test func `extreme times neither trap nor lose a request`() {
    var state = state()
    for (number, time) in [Duration(attoseconds: .min), .zero, Duration(attoseconds: .max)].enumerated() {
      let (pass, _) = state.passAtOnce(subject("a", RateLimit(requests: 1, per: .longest)), at: time)
      #expect((pass != nil) == (number != 1))
    }
    _ = state.arrive(
      1, .background, subject("a", RateLimit(requests: 1, per: .longest)), at: Duration(attoseconds: .max))
    #expect(state.waiting == 1)
    #expect(state.nextAlarm.map { $0 > .longest } == true)
  }
}

/// Random sequences of calls, compared with buckets of the test's own.
@Suite struct RateLimiterPropertyTests {
  private struct Waiting {
    let number: Int
    let ticket: Ticket
    let subject: RateSubject
    var priority: Priority
    var hasMoved = false
  }

  private struct Run {
    var state = RateLimiterState<Int>(ageing: .seconds(5), longestQuota: .seconds(60))
    var random: SeededRandom
    var now = Duration.zero
    var buckets: [String: TokenBucket] = [:]
    var waiting: [Waiting] = []
    /// The attempts that have a pass, and have not begun.
    var held: [(pass: RatePass, subject: RateSubject)] = []
    /// The attempts that have begun.
    var passes: [RatePass] = []
    var started: Set<Int> = []
    var left: Set<Int> = []
    var arrived = 0

    private static let limits = [
      RateLimit(requests: 3, per: .seconds(1), burst: 2), RateLimit(requests: 1, per: .seconds(4), burst: 1),
    ]

    mutating func pick() -> RateSubject {
      let origin = Int.random(in: 0...2, using: &random)
      let key = Int.random(in: 0...2, using: &random)
      var subject = RateSubject(
        origin: "origin \(origin)", originLimit: origin == 2 ? nil : Self.limits[origin])
      if key > 0 {
        subject.group = .key("\(key)")
        subject.groupLimit = Self.limits[2 - key]
      }
      return subject
    }

    /// Takes the tokens of a start from the test's buckets, which must have them.
    mutating func start(_ subject: RateSubject, _ pass: RatePass) {
      changeBuckets(of: subject) { bucket, now in expect(bucket.hold(at: now), "a start over the limit") }
      held.append((pass, subject))
    }

    mutating func changeBuckets(
      of subject: RateSubject, _ change: (inout TokenBucket, Duration) -> Void
    ) {
      for (name, limit) in [
        (subject.origin, subject.originLimit), ("\(subject.origin) \(subject.group)", subject.groupLimit),
      ] {
        guard let limit else { continue }
        change(&buckets[name, default: TokenBucket(limit, at: .zero)], now)
      }
    }

    mutating func beginOne() {
      guard let index = held.indices.randomElement(using: &random) else { return }
      let (pass, subject) = held.remove(at: index)
      changeBuckets(of: subject) { $0.begin(at: $1) }
      passes.append(pass)
      note(state.begin(pass, at: now))
    }

    mutating func putOneBack() {
      guard let index = held.indices.randomElement(using: &random) else { return }
      let (pass, subject) = held.remove(at: index)
      changeBuckets(of: subject) { bucket, _ in bucket.putBack() }
      note(state.putBack(pass, at: now))
    }

    mutating func note(_ starts: [RateLimiterState<Int>.Start]) {
      for start in starts {
        expect(started.insert(start.payload).inserted && !left.contains(start.payload))
        guard let index = waiting.firstIndex(where: { $0.number == start.payload }) else {
          Issue.record("a request started that does not wait")
          continue
        }
        let found = waiting.remove(at: index)
        self.start(found.subject, start.pass)
        let earlier = waiting.prefix(index).contains {
          $0.subject == found.subject && $0.priority == found.priority && !$0.hasMoved
        }
        #expect(!earlier || found.hasMoved, "not first in, first out")
      }
    }

    mutating func step() {
      switch Int.random(in: 0...13, using: &random) {
      case 10...12: beginOne()
      case 13: putOneBack()
      case 0...3:
        let (subject, priority) = (pick(), Priority.allCases.randomElement(using: &random) ?? .default)
        let number = arrived
        arrived += 1
        let (arrival, starts) = state.arrive(number, priority, subject, at: now)
        note(starts)
        switch arrival {
        case .started(let pass):
          start(subject, pass)
          started.insert(number)
        case .waiting(let ticket):
          waiting.append(Waiting(number: number, ticket: ticket, subject: subject, priority: priority))
        }
      case 4:
        guard let index = waiting.indices.randomElement(using: &random) else { return }
        expect(state.leave(waiting[index].ticket) == waiting[index].number)
        left.insert(waiting.remove(at: index).number)
      case 5:
        guard let index = waiting.indices.randomElement(using: &random) else { return }
        let priority = Priority.allCases.randomElement(using: &random) ?? .default
        state.move(waiting[index].ticket, to: priority)
        waiting[index].priority = priority
        waiting[index].hasMoved = true
      case 6:
        guard let index = passes.indices.randomElement(using: &random) else { return }
        note(state.finish(passes.remove(at: index), at: now))
      case 7...8:
        now += .milliseconds(Int.random(in: 0...900, using: &random))
        note(state.advance(to: now))
      default:
        guard let alarm = state.nextAlarm else { return }
        now = max(now, alarm)
        note(state.advance(to: now))
      }
      check()
    }

    /// No request waits that both of its buckets would let start, and the alarm is not later than the next token.
    func check() {
      #expect(state.waiting == waiting.count)
      for found in waiting {
        let names = [found.subject.origin, "\(found.subject.origin) \(found.subject.group)"]
        let wait = names.compactMap { buckets[$0]?.wait(at: now) }.max() ?? .zero
        #expect(wait > .zero, "a request waits without need")
        // If all tokens are held, the next one comes back after an attempt has begun.
        let isSet = state.nextAlarm.map { $0 <= now + wait } ?? false
        #expect(isSet || names.contains { buckets[$0]?.isHeld == true }, "the alarm is late, or not set")
      }
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `each request starts once, within the limits, as early as they allow`(seed: UInt64) {
    var run = Run(random: SeededRandom(seed: seed))
    for _ in 0..<1000 { run.step() }
    while !run.held.isEmpty || !run.waiting.isEmpty {
      while !run.held.isEmpty { run.beginOne() }
      if let alarm = run.state.nextAlarm { run.now = max(run.now, alarm) }
      run.note(run.state.advance(to: run.now))
    }
    #expect(run.waiting.isEmpty)
    #expect(run.started.count + run.left.count == run.arrived)
    for pass in run.passes { expect(run.state.finish(pass, at: run.now).isEmpty) }
    #expect(run.state.inFlight == 0)
  }
}
