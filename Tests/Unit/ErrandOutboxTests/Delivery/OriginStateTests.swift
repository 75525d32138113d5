import ErrandTesting
import Testing

@testable import ErrandOutbox

struct OriginStateTests {
  private let limits = OriginState.Limits(
    perOrigin: 4, firstPause: .seconds(1), longestPause: .seconds(60), longestUnauthorized: .seconds(3600))
  private var state = OriginState()
  private var last: Int64 = 0

  private mutating func begin(at now: Duration = .zero, row: String? = nil) -> Lease? {
    guard state.mayBegin(limits) else { return nil }
    last += 1
    let lease = Lease(id: OutboxID(rawValue: row ?? "\(last)"), number: last)
    state.begin(lease, at: now)
    return lease
  }

  @discardableResult
  private mutating func attempt(_ sign: OriginSign, at now: Duration = .zero, row: String? = nil) throws
    -> OriginNews.Change?
  {
    let lease = try #require(begin(at: now, row: row))
    return state.end(lease, sign, at: now, limits)
  }

  private let failed = OriginSign.failed(reason: "no", .unreachable)

  private let refused = OriginSign.failed(reason: "no", .responded)

  @Test
  mutating func `an open origin that responds is held again only when each of its waiting rows has failed`()
    throws
  {
    for _ in 0..<3 { try attempt(refused) }
    #expect(state.isOpen)
    _ = state.advance(to: .seconds(1), limits)
    #expect(state.probesAhead == OriginState.mostProbes)
    for left in (0..<5).reversed() {
      let probe = try #require(begin(at: .seconds(1)))
      #expect(begin(at: .seconds(1)) == nil, "Only one probe at a time.")
      state.waiting = left
      let change = state.end(probe, refused, at: .seconds(1), limits)
      #expect((change == nil) == (left > 0))
    }
    // They are not tried repeatedly.
    _ = state.advance(to: .seconds(3), limits)
    #expect(state.probesAhead == 1)
    state.waiting = 5
    #expect(try attempt(refused, at: .seconds(3)) == .hold(.trouble, reason: "no", for: .seconds(4)))
    _ = state.advance(to: .seconds(7), limits)
    #expect(try attempt(.responded, at: .seconds(7)) == .release)
    for _ in 0..<3 { try attempt(refused, at: .seconds(20)) }
    _ = state.advance(to: .seconds(21), limits)
    #expect(state.probesAhead == OriginState.mostProbes, "Others may succeed again.")
  }

  @Test mutating func `one row that succeeds closes the origin, however many failed before it`() throws {
    for _ in 0..<3 { try attempt(refused) }
    _ = state.advance(to: .seconds(1), limits)
    for sign in [refused, .unauthorized(reason: "401"), refused] {
      state.waiting = 9
      #expect(try attempt(sign, at: .seconds(1)) == nil)
    }
    #expect(try attempt(.responded, at: .seconds(1)) == .release)
    #expect(state.phase == .closed)
  }

  @Test mutating func `three failing rows right after a success do not open the origin`() throws {
    try attempt(.responded)
    for row in 1..<OriginState.mostProbes {
      #expect(try attempt(refused, at: .seconds(9), row: "\(row)") == nil)
    }
    #expect(!state.isOpen)
    #expect(try attempt(refused, at: .seconds(9)) != nil)
    #expect(state.isOpen)
  }

  @Test mutating func `a server that does not respond gets one probe at a time, however many rows wait`()
    throws
  {
    try attempt(.responded)
    for _ in 0..<2 { #expect(try attempt(failed, at: .seconds(1)) == nil) }
    #expect(try attempt(failed, at: .seconds(1)) != nil)
    _ = state.advance(to: .seconds(2), limits)
    state.waiting = 9
    #expect(try attempt(failed, at: .seconds(2)) != nil)
  }

  @Test
  mutating func `other rows are tried if a row that the server received got no response`()
    throws
  {
    let silent = OriginSign.failed(reason: "no", .silent)
    for _ in 0..<3 { try attempt(silent) }
    #expect(state.isOpen)
    _ = state.advance(to: .seconds(1), limits)
    for _ in 0..<9 {
      state.waiting = 9
      #expect(try attempt(silent, at: .seconds(1)) == nil)
    }
    #expect(try attempt(.responded, at: .seconds(1)) == .release)
  }

  @Test mutating func `another row is tried while a probe hangs`() throws {
    for _ in 0..<3 { try attempt(failed) }
    var hanging: [Lease] = []
    for second in 1...9 {
      _ = state.advance(to: .seconds(second), limits)
      if let lease = begin(at: .seconds(second)) { hanging.append(lease) }
      #expect(begin(at: .seconds(second)) == nil, "Only one row at a time moves.")
    }
    #expect(hanging.count == 4, "That is the limit of the origin.")
    // The first one that times out passes its slot to another, and does not open the origin.
    #expect(state.end(hanging[0], .failed(reason: "late", .silent), at: .seconds(10), limits) == nil)
    #expect(try attempt(.responded, at: .seconds(10)) == .release)
    #expect(state.end(hanging[1], .failed(reason: "late", .silent), at: .seconds(11), limits) == nil)
    #expect(state.phase == .closed)
  }

  @Test mutating func `an origin begins with one attempt in flight, and each response adds one`() throws {
    for window in 1...6 {
      var leases: [Lease] = []
      while let lease = begin() { leases.append(lease) }
      #expect(leases.count == min(window, 4))
      for lease in leases.dropFirst() { _ = state.end(lease, .none, at: .zero, limits) }
      _ = state.end(leases[0], .responded, at: .zero, limits)
    }
  }

  @Test
  mutating func `an origin opens when three requests fail in succession, for a time that doubles`()
    throws
  {
    #expect(try attempt(failed) == nil)
    #expect(try attempt(failed) == nil)
    #expect(try attempt(failed) == .hold(.trouble, reason: "no", for: .seconds(1)))
    var now = Duration.zero
    for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
      #expect(begin(at: now) == nil)
      let early = state.advance(to: now + .seconds(pause) - .nanoseconds(1), limits)
      #expect(!early)
      now += .seconds(pause)
      let isDue = state.advance(to: now, limits)
      #expect(isDue)
      let probe = try #require(begin(at: now))
      // Only one probe at a time.
      #expect(begin(at: now) == nil)
      let change = state.end(probe, failed, at: now, limits)
      #expect(change == .hold(.trouble, reason: "no", for: .seconds(min(pause * 2, 60))))
    }
  }

  @Test mutating func `one request that fails repeatedly does not open its origin`() throws {
    for _ in 0..<10 { #expect(try attempt(.failed(reason: "500", .responded), row: "poison") == nil) }
    #expect(state.phase == .closed)
  }

  @Test mutating func `a response between failures keeps an origin closed`() throws {
    for _ in 0..<10 {
      try attempt(failed)
      try attempt(failed)
      try attempt(.responded)
    }
    #expect(state.phase == .closed)
  }

  @Test mutating func `a successful probe closes an origin, which begins with a small window again`() throws {
    for _ in 0..<3 { try attempt(failed) }
    _ = state.advance(to: .seconds(1), limits)
    #expect(try attempt(.responded, at: .seconds(1)) == .release)
    #expect(state.phase == .closed && state.window == 2)
    // The next failures begin with a short pause again.
    for _ in 0..<2 { try attempt(failed, at: .seconds(2)) }
    #expect(
      try attempt(failed, at: .seconds(2)) == .hold(.trouble, reason: "no", for: .seconds(1)))
  }

  @Test mutating func `a probe that is given back passes its slot to another`() throws {
    for _ in 0..<3 { try attempt(failed) }
    _ = state.advance(to: .seconds(1), limits)
    for _ in 0..<5 {
      let probe = try #require(begin(at: .seconds(1)))
      #expect(begin(at: .seconds(1)) == nil)
      _ = state.end(probe, .none, at: .seconds(5), limits)
    }
    #expect(state.phase == .halfOpen)
  }

  @Test mutating func `an attempt that began before an origin opened does not count as its probe`() throws {
    for _ in 0..<3 { try attempt(.responded) }
    var leases: [Lease] = []
    while let lease = begin() { leases.append(lease) }
    let late = leases[0]
    for lease in leases.dropFirst() { _ = state.end(lease, failed, at: .zero, limits) }
    #expect(state.phase == .open(until: .seconds(1)))
    _ = state.advance(to: .seconds(1), limits)
    let probe = try #require(begin(at: .seconds(1)))
    #expect(state.end(late, failed, at: .seconds(1), limits) == nil)
    #expect(state.phase == .halfOpen)
    #expect(state.end(probe, .responded, at: .seconds(1), limits) == .release)
  }

  @Test mutating func `Retry-After holds an origin for the requested time, whichever attempt receives it`()
    throws
  {
    for _ in 0..<3 { try attempt(.responded) }
    let (one, two) = (try #require(begin()), try #require(begin()))
    let change = state.end(one, .busy(reason: "429", for: .seconds(30)), at: .zero, limits)
    #expect(change == .hold(.busy, reason: "429", for: .seconds(30)))
    // A shorter one has no effect.
    #expect(state.end(two, .busy(reason: "429", for: .seconds(20)), at: .zero, limits) == nil)
    #expect(state.phase == .open(until: .seconds(30)))
  }

  @Test mutating func `an unauthorized response opens an origin at once, for longer than failures do`() throws
  {
    let refused = OriginSign.unauthorized(reason: "401")
    #expect(try attempt(refused) == .hold(.unauthorized, reason: "401", for: .seconds(1)))
    var now = Duration.seconds(1)
    for _ in 0..<14 {
      while !state.advance(to: now, limits) { now += .seconds(1) }
      try attempt(refused, at: now)
    }
    #expect(state.phase == .open(until: now + .seconds(3600)))
  }

  @Test mutating func `a request counts as refused alone if another of its origin is accepted after it`()
    throws
  {
    try attempt(.unauthorized(reason: "403"), row: "bad")
    let id = OutboxID(rawValue: "bad")
    #expect(!state.isRefusedAlone(id))
    _ = state.advance(to: .seconds(1), limits)
    try attempt(.responded, at: .seconds(1))
    #expect(state.isRefusedAlone(id))
    #expect(!state.isRefusedAlone(OutboxID(rawValue: "other")))
  }

  @Test mutating func `a request without a credential does not count as refused`() throws {
    let sign = OriginSign.withoutCredential(reason: "signed out")
    #expect(try attempt(sign, row: "own") == .hold(.unauthorized, reason: "signed out", for: .seconds(1)))
    _ = state.advance(to: .seconds(1), limits)
    try attempt(.responded, at: .seconds(1))
    #expect(!state.isRefusedAlone(OutboxID(rawValue: "own")))
  }

  @Test mutating func `a request that is refused alone is recognized, however many were refused before`()
    throws
  {
    var now = Duration.zero
    for number in 1...1001 {
      try attempt(.unauthorized(reason: "403"), at: now, row: "r\(number)")
      now += .seconds(700)
      _ = state.advance(to: now, limits)
      try attempt(.responded, at: now, row: "well \(number)")
      try #require(state.isRefusedAlone(OutboxID(rawValue: "r\(number)")))
    }
    try attempt(.responded, at: now, row: "r1001")
    #expect(!state.isRefusedAlone(OutboxID(rawValue: "r1001")))
  }

  @Test mutating func `a hanging attempt allows one more, up to four, and a response lifts that limit`()
    throws
  {
    var leases: [Lease] = []
    for second in 0..<10 {
      if let lease = begin(at: .seconds(second)) { leases.append(lease) }
      #expect(begin(at: .seconds(second)) == nil)
      _ = state.advance(to: .seconds(second + 1), limits)
    }
    #expect(leases.count == 4 && state.hanging == 4)
    _ = state.end(leases[0], .responded, at: .seconds(11), limits)
    #expect(state.account == .regular && begin(at: .seconds(11)) != nil)
  }

  @Test mutating func `a released origin is probed at once`() throws {
    for _ in 0..<3 { try attempt(failed) }
    state.release()
    #expect(try attempt(failed) == .hold(.trouble, reason: "no", for: .seconds(1)))
  }

  // MARK: Rate limits

  @Test mutating func `nothing begins before the rate limit allows it, whatever the origin's health`() throws
  {
    try attempt(.responded)
    let running = try #require(begin())
    state.rest(until: .milliseconds(300), at: .zero)
    #expect(begin() == nil && state.account == .regular)
    #expect(state.nextChange(limits) == .milliseconds(300))
    // An attempt that ends does not end the rest.
    #expect(state.end(running, .responded, at: .milliseconds(100), limits) == nil)
    #expect(begin(at: .milliseconds(100)) == nil)
    let isEarly = state.advance(to: .milliseconds(299), limits)
    let isInTime = state.advance(to: .milliseconds(300), limits)
    #expect(!isEarly && isInTime)
    #expect(begin(at: .milliseconds(300)) != nil)
  }

  @Test mutating func `an attempt over the rate says nothing about the origin`() throws {
    try attempt(.responded)
    let window = state.window
    for _ in 0..<5 {
      try attempt(.overRate(wait: .milliseconds(10)))
      #expect(state.window == window && state.account == .regular)
      let mayBegin = state.advance(to: .milliseconds(10), limits)
      #expect(mayBegin)
    }
  }

  @Test mutating func `an attempt that hangs during a rest is noticed`() throws {
    try attempt(.responded)
    _ = try #require(begin())
    state.rest(until: .seconds(5), at: .zero)
    #expect(state.nextChange(limits) == .seconds(1))
    _ = state.advance(to: .seconds(1), limits)
    #expect(state.hanging == 1)
    #expect(begin(at: .seconds(1)) == nil)
  }

  @Test mutating func `a rest shorter than the present one changes nothing`() throws {
    state.rest(until: .seconds(5), at: .zero)
    state.rest(until: .seconds(3), at: .seconds(1))
    state.rest(until: .seconds(1), at: .seconds(1))
    #expect(state.restsUntil == .seconds(5))
    #expect(!state.isForgettable(at: .seconds(400), limits))
  }
}
