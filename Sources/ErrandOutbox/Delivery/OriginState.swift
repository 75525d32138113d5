/// The health of one origin: whether anything may be sent to it, and how much at once. Pure.
///
/// ```
/// closed ─three rows fail in a row, 401, 403, Retry-After→ open, for a growing time
///    ↑                                                       │
///    └─its probe is answered── half open ←─that is over──────┘
///                                  └─its probe fails→ open, twice as long
/// ```
///
/// Closed, it begins with one attempt in flight, and each answer lets one more go, up to the limit of an origin. What has
/// brought nothing for a while hangs, and the origin begins anew, with one attempt beside those that hang.
struct OriginState: Sendable {
  enum Phase: Sendable, Hashable {
    case closed
    case open(until: Duration)
    /// One attempt may go, and decides.
    case halfOpen
  }

  /// Under which bound an origin's attempts count, those that hang apart.
  enum Account: Sendable, Hashable {
    /// It answers.
    case regular
    /// Nobody knows yet.
    case probing
    /// Nothing is sent to it.
    case none
  }

  struct Limits: Sendable {
    /// The most attempts in flight.
    var perOrigin: Int
    /// The first time that it is left alone, and the longest.
    var firstPause: Duration
    var longestPause: Duration
    /// The longest while it refuses the credentials.
    var longestUnauthorized: Duration
    /// So long nothing may come from it.
    var patience = Duration.seconds(1)
  }

  private struct Attempt: Sendable {
    let epoch: Int
    let isProbe: Bool
    var hangs = false
  }

  /// So many hang at most at an origin that does not answer.
  private static let mostHanging = 4

  /// So many requests have to fail, one after the other, each another one: a single one may fail by its own fault.
  private static let mostFailures = 3
  private static let mostRefused = 1000

  private(set) var phase = Phase.closed
  private(set) var isAnswering = false
  /// The attempts in flight that have brought nothing for a while.
  private(set) var hanging = 0
  /// How many may be in flight while it is closed.
  private(set) var window = 1
  /// Changes with the phase: what was begun before tells nothing about what is the case now.
  private(set) var epoch = 0
  /// When something was begun, or came from it.
  private(set) var lastProgress = Duration.zero
  /// Claimed, and not begun.
  var waiting = 0
  /// The last claim brought less than there was room for.
  var isDry = false
  /// That it is open is written down, so others know.
  var isRecorded = false
  private var attempts: [Lease: Attempt] = [:]
  /// The rows that failed since the last answer.
  private var failed: Set<OutboxID> = []
  private var lastPause: Duration?
  private var successes = 0
  /// Rows whose credentials were refused, and how often others had been accepted before.
  private var refused: [OutboxID: Int] = [:]

  var inFlight: Int { attempts.count }

  /// Those under way of which something may still be expected soon.
  var moving: Int { isOpen ? 0 : inFlight - hanging }

  /// Nothing is to be sent to it for now.
  var isOpen: Bool { if case .open = phase { true } else { false } }

  var account: Account {
    if isOpen { return .none }
    return phase == .closed && isAnswering ? .regular : .probing
  }

  func mayBegin(_ limits: Limits) -> Bool {
    switch phase {
    case .open: false
    case .halfOpen: !hasProbe
    case .closed:
      isAnswering
        ? moving < min(window, limits.perOrigin) && inFlight < limits.perOrigin
        : moving < 1 && inFlight < min(Self.mostHanging, limits.perOrigin)
    }
  }

  private var hasProbe: Bool { attempts.values.contains { $0.isProbe && $0.epoch == epoch } }

  mutating func begin(_ lease: Lease, at now: Duration) {
    if moving < 1 { lastProgress = now }
    attempts[lease] = Attempt(epoch: epoch, isProbe: phase == .halfOpen)
  }

  /// An attempt is over. What it tells counts if it was begun in this phase; that a server wants to be left alone counts
  /// always.
  /// - Returns: What others have to know.
  mutating func end(
    _ lease: Lease, _ sign: OriginSign, at now: Duration, _ limits: Limits
  ) -> OriginChange? {
    guard let attempt = attempts.removeValue(forKey: lease) else { return nil }
    lastProgress = now
    if attempt.hangs { hanging -= 1 }
    if case .busy(let reason, let wait) = sign { return leaveAlone(for: wait, reason, at: now) }
    if sign == .answered { refused[lease.id] = nil }
    guard attempt.epoch == epoch else { return nil }
    switch sign {
    case .answered: return answered(limits)
    case .failed(let reason, let hasAnswered):
      failed.insert(lease.id)
      window = hasAnswered ? max(1, window / 2) : 1
      isAnswering = hasAnswered
      guard phase == .halfOpen || failed.count >= Self.mostFailures else { return nil }
      return open(.trouble, reason, at: now, limits, longest: limits.longestPause)
    case .unauthorized(let reason):
      // Each of them may be asked once more then.
      if refused.count >= Self.mostRefused { refused = [:] }
      refused[lease.id] = successes
      return open(.unauthorized, reason, at: now, limits, longest: limits.longestUnauthorized)
    case .busy, .none: return nil
    }
  }

  private mutating func answered(_ limits: Limits) -> OriginChange? {
    successes += 1
    failed = []
    isAnswering = true
    window = min(window + 1, limits.perOrigin)
    guard phase == .halfOpen else { return nil }
    phase = .closed
    epoch += 1
    lastPause = nil
    return .release
  }

  private mutating func open(
    _ kind: OriginHold.Kind, _ reason: String, at now: Duration, _ limits: Limits, longest: Duration
  ) -> OriginChange {
    let pause = min(lastPause.map { $0 * 2 } ?? limits.firstPause, longest)
    lastPause = pause
    close(until: now + pause)
    return .hold(kind, reason: reason, for: pause)
  }

  private mutating func leaveAlone(for wait: Duration, _ reason: String, at now: Duration) -> OriginChange? {
    if case .open(let until) = phase, until >= now + wait { return nil }
    close(until: now + wait)
    return .hold(.busy, reason: reason, for: wait)
  }

  private mutating func close(until end: Duration) {
    phase = .open(until: end)
    epoch += 1
    failed = []
    window = 1
    isAnswering = false
    isRecorded = false
  }

  /// Somebody has reason to believe that it is well: it is probed at once.
  mutating func release() {
    lastPause = nil
    guard case .open = phase else { return }
    probe()
  }

  private mutating func probe() {
    phase = .halfOpen
    epoch += 1
    isDry = false
  }

  /// Others with the same credentials were accepted since this was refused: it is not the credentials.
  func isRefusedAlone(_ id: OutboxID) -> Bool { refused[id].map { successes > $0 } ?? false }

  // MARK: Time

  /// When time alone changes something.
  func nextChange(_ limits: Limits) -> Duration? {
    if case .open(let until) = phase { return until }
    return moving > 0 ? lastProgress + limits.patience : nil
  }

  /// - Returns: True if more may be sent now than before.
  mutating func advance(to now: Duration, _ limits: Limits) -> Bool {
    guard let change = nextChange(limits), now >= change else { return false }
    if case .open = phase {
      probe()
      lastProgress = now
      return true
    }
    for lease in attempts.keys { attempts[lease]?.hangs = true }
    hanging = inFlight
    isAnswering = false
    window = 1
    // One more may go, if it is closed.
    isDry = false
    return phase == .closed
  }

  /// Nothing would be lost if it were forgotten.
  func isForgettable(at now: Duration, _ limits: Limits) -> Bool {
    guard attempts.isEmpty, waiting == 0 else { return false }
    switch phase {
    case .open: return false
    case .closed: return now - lastProgress > .seconds(60)
    case .halfOpen: return now - lastProgress > limits.longestPause * 2 + .seconds(60)
    }
  }
}
