/// The health of one origin, as a circuit breaker: whether anything may be sent to it, and how many requests
/// at once. Pure.
///
/// ```
/// closed ─three rows in a row fail, 401, 403, Retry-After→ open, for a growing time
///    ↑                                                       │
///    └─a probe succeeds─── half open ←──that time has passed─┘
///                              └─all probes fail→ open, twice as long
/// ```
///
/// A row that is itself the cause of its failures must not stop other rows. Therefore, while the origin is
/// half open and can be reached, rows are tried one after the other, and beside rows that hang. This ends
/// when one succeeds, or when many have failed.
///
/// A closed origin begins with one attempt in flight. Each response allows one more, up to the limit of an
/// origin. Attempts hang when the origin has sent nothing for a while. The origin then begins again with one
/// attempt beside those that hang.
struct OriginState: Sendable {
  enum Phase: Sendable, Hashable {
    case closed
    case open(until: Duration)
    /// One attempt at a time may be sent, and another beside attempts that hang, until one of them decides.
    case halfOpen
  }

  /// The bound that an origin's attempts count against. Hanging attempts are counted separately.
  enum Account: Sendable, Hashable {
    /// The origin responds.
    case regular
    /// It is unknown whether the origin responds.
    case probing
    /// Nothing is sent to the origin.
    case none
  }

  struct Limits: Sendable {
    /// The most attempts in flight to an origin; `perKey` is the same for a key within it.
    var perOrigin: Int
    var perKey = 4
    /// The first and the longest time that an origin is open.
    var firstPause: Duration
    var longestPause: Duration
    /// The longest time while the origin refuses the credentials.
    var longestUnauthorized: Duration
    /// Attempts hang if nothing comes from the origin for this long.
    var patience = Duration.seconds(1)
  }

  private struct Attempt: Sendable {
    let epoch: Int
    let isProbe: Bool
    var hangs = false
  }

  /// The most hanging attempts at an origin that does not respond.
  private static let mostHanging = 4

  /// The number of different requests that have to fail in a row to open the origin. A single request may
  /// fail because of its content.
  private static let mostFailures = 3
  /// The number of rows that are tried, one after the other, before an origin that responds to each with a
  /// failure is open again. It is also the number of rows that may fail in a row soon after another row
  /// succeeded.
  static let mostProbes = 128
  /// How long a success counts as a sign that the origin is well.
  private static let memory = Duration.seconds(10)
  private static let mostRefused = 1000

  private let hasKey: Bool
  private(set) var phase = Phase.closed
  private(set) var isResponding = false
  /// The number of attempts in flight that hang.
  private(set) var hanging = 0
  /// The most attempts in flight while the origin is closed and responds.
  private(set) var window = 1
  /// Changes with the phase: attempts of an earlier epoch say nothing about the current phase.
  private(set) var epoch = 0
  /// When the last of these happened: an attempt began while none was moving, an attempt ended, or the origin
  /// became half open after its time.
  private(set) var lastProgress = Duration.zero
  /// The number of rows that were claimed and not yet sent.
  var waiting = 0
  /// True if the last claim brought fewer rows than there was capacity for.
  var isDry = false
  /// True if the store has recorded that the origin is open, so that other processes know.
  var isRecorded = false
  /// When its rate limit allows the next attempt; nil for now.
  private(set) var restsUntil: Duration?
  /// True if the rate limit allows less than 50 attempts in a second. Then rows are not claimed ahead, so that one of a
  /// higher priority comes next. At higher rates, claiming rows one by one would cost more than it is worth.
  private(set) var isSlow = false
  private var attempts: [Lease: Attempt] = [:]
  /// The rows that failed since the last response.
  private var failed: Set<OutboxID> = []
  private var lastPause: Duration?
  private var probesLeft = 0
  /// True if all rows failed that were tried when the origin was last half open. The next time, only one row
  /// is tried.
  private var hasFailedAll = false
  private var lastSuccess: Duration?
  private var successes = 0
  /// Rows whose credentials were refused, each with the value of `successes` at that time.
  private var refused: [OutboxID: Int] = [:]

  /// Creates the state of an origin without attempts.
  /// - Parameter name: The origin's name in the store.
  init(_ name: String = "") { hasKey = OriginAddress.hasKey(name) }

  /// The most attempts in flight.
  func most(_ limits: Limits) -> Int { hasKey ? limits.perKey : limits.perOrigin }

  var inFlight: Int { attempts.count }

  /// The number of attempts in flight that do not hang.
  var moving: Int { isOpen ? 0 : inFlight - hanging }

  /// True if its rate limit allows no attempt for now.
  var isResting: Bool { restsUntil != nil }

  /// True if nothing may be sent to the origin for now.
  var isOpen: Bool { if case .open = phase { true } else { false } }

  var account: Account {
    if isOpen { return .none }
    return phase == .closed && isResponding ? .regular : .probing
  }

  func mayBegin(_ limits: Limits) -> Bool {
    if isResting { return false }
    return switch phase {
    case .open: false
    case .halfOpen: movingProbes < 1 && hasRoomForProbe(limits)
    case .closed:
      isResponding
        ? moving < min(window, most(limits)) && inFlight < most(limits)
        : moving < 1 && inFlight < min(Self.mostHanging, most(limits))
    }
  }

  /// The most rows to claim ahead while it is unknown whether the origin responds.
  var probesAhead: Int { phase == .halfOpen ? max(1, probesLeft) : 1 }

  /// The number of attempts in flight that began since the origin was last half open.
  private var probesInFlight: Int { attempts.values.count(where: isProbe) }

  /// The number of these attempts that do not hang: at most one.
  var movingProbes: Int { attempts.values.count { isProbe($0) && !$0.hangs } }

  private func isProbe(_ attempt: Attempt) -> Bool { attempt.isProbe && attempt.epoch == epoch }

  /// False if as many probes hang as may be in flight while the origin is half open.
  func hasRoomForProbe(_ limits: Limits) -> Bool {
    probesInFlight < (probesLeft > 0 ? min(Self.mostHanging, most(limits)) : 1)
  }

  mutating func begin(_ lease: Lease, at now: Duration) {
    if moving < 1 { lastProgress = now }
    attempts[lease] = Attempt(epoch: epoch, isProbe: phase == .halfOpen)
  }

  /// Ends an attempt. Its sign counts only if the attempt began in this epoch. Only `busy` always counts.
  /// - Returns: The change that other processes have to know; nil if nothing changes for them.
  mutating func end(
    _ lease: Lease, _ sign: OriginSign, at now: Duration, _ limits: Limits
  ) -> OriginNews.Change? {
    guard let attempt = attempts.removeValue(forKey: lease) else { return nil }
    lastProgress = now
    if attempt.hangs { hanging -= 1 }
    if case .overRate(let wait) = sign { rest(until: now + wait, at: now) }
    if case .busy(let reason, let wait) = sign { return leaveAlone(for: wait, reason, at: now) }
    if sign == .responded {
      refused[lease.id] = nil
      lastSuccess = now
    }
    guard attempt.epoch == epoch else { return nil }
    switch sign {
    case .responded: return responded(limits)
    case .failed(let reason, let trouble):
      failed.insert(lease.id)
      isResponding = trouble == .responded
      window = isResponding ? max(1, window / 2) : 1
      let mayBeItsOwn = trouble != .unreachable
      let isWell = mayBeItsOwn && lastSuccess.map { now - $0 < Self.memory } ?? false
      guard phase == .halfOpen || failed.count >= (isWell ? Self.mostProbes : Self.mostFailures) else {
        return nil
      }
      if mayBeItsOwn, triesNextProbe() { return nil }
      return open(.trouble, reason, at: now, limits, longest: limits.longestPause)
    case .unauthorized(let reason):
      // Bounds the memory. Each forgotten row may be refused once more.
      if refused.count >= Self.mostRefused { refused = [:] }
      refused[lease.id] = successes
      if triesNextProbe() { return nil }
      return open(.unauthorized, reason, at: now, limits, longest: limits.longestUnauthorized)
    case .withoutCredential(let reason):
      return open(.unauthorized, reason, at: now, limits, longest: limits.longestUnauthorized)
    case .busy, .overRate, .none: return nil
    }
  }

  /// Begins no attempt before this time, because of the rate limit.
  mutating func rest(until end: Duration, at now: Duration) {
    guard end > now else { return }
    restsUntil = max(restsUntil ?? end, end)
    isSlow = end - now > .milliseconds(20)
  }

  /// Returns true if another row is tried before the origin is open again.
  private mutating func triesNextProbe() -> Bool {
    guard phase == .halfOpen, waiting > 0 || probesInFlight > 0, probesLeft > 0 else { return false }
    probesLeft -= 1
    return true
  }

  private mutating func responded(_ limits: Limits) -> OriginNews.Change? {
    successes += 1
    failed = []
    hasFailedAll = false
    isResponding = true
    window = min(window + 1, most(limits))
    guard phase == .halfOpen else { return nil }
    phase = .closed
    epoch += 1
    lastPause = nil
    return .release
  }

  private mutating func open(
    _ kind: OriginHold.Kind, _ reason: String, at now: Duration, _ limits: Limits, longest: Duration
  ) -> OriginNews.Change {
    hasFailedAll = phase == .halfOpen
    let pause = min(lastPause.map { $0 * 2 } ?? limits.firstPause, longest)
    lastPause = pause
    close(until: now + pause)
    return .hold(kind, reason: reason, for: pause)
  }

  private mutating func leaveAlone(
    for wait: Duration, _ reason: String, at now: Duration
  ) -> OriginNews.Change? {
    if case .open(let until) = phase, until >= now + wait { return nil }
    close(until: now + wait)
    return .hold(.busy, reason: reason, for: wait)
  }

  private mutating func close(until end: Duration) {
    phase = .open(until: end)
    epoch += 1
    failed = []
    window = 1
    isResponding = false
    isRecorded = false
  }

  /// Notes that the origin may be well again, so that it is probed at once.
  mutating func release() {
    lastPause = nil
    hasFailedAll = false
    guard case .open = phase else { return }
    probe()
  }

  private mutating func probe() {
    phase = .halfOpen
    epoch += 1
    isDry = false
    probesLeft = hasFailedAll ? 0 : Self.mostProbes
  }

  /// True if other rows were accepted since this one was refused. The credentials are then not the reason.
  func isRefusedAlone(_ id: OutboxID) -> Bool { refused[id].map { successes > $0 } ?? false }

  // MARK: Time

  /// When the state changes without an event; nil if it does not.
  func nextChange(_ limits: Limits) -> Duration? {
    [restsUntil, healthChange(limits)].compactMap(\.self).min()
  }

  private func healthChange(_ limits: Limits) -> Duration? {
    if case .open(let until) = phase { return until }
    return moving > 0 ? lastProgress + limits.patience : nil
  }

  /// Applies the passing of time.
  /// - Returns: True if more may be sent now than before.
  mutating func advance(to now: Duration, _ limits: Limits) -> Bool {
    var mayBegin = false
    if let rest = restsUntil, now >= rest {
      restsUntil = nil
      mayBegin = true
    }
    guard let change = healthChange(limits), now >= change else { return mayBegin }
    if case .open = phase {
      probe()
      lastProgress = now
      return true
    }
    for lease in attempts.keys { attempts[lease]?.hangs = true }
    hanging = inFlight
    isResponding = false
    window = 1
    // The origin may now have one more attempt, beside those that hang.
    isDry = false
    return true
  }

  /// True if forgetting this state loses no information.
  func isForgettable(at now: Duration, _ limits: Limits) -> Bool {
    guard attempts.isEmpty, waiting == 0, !isResting else { return false }
    switch phase {
    case .open: return false
    case .closed: return now - lastProgress > .seconds(60)
    case .halfOpen: return now - lastProgress > limits.longestPause * 2 + .seconds(60)
    }
  }
}
