/// Decides when a second attempt is due, and whether it may begin. Pure: the time is a parameter.
///
/// Only first attempts are measured, so that second attempts do not change what they depend on. A first attempt that
/// got no response, because the second one was faster, took at least as long as it ran, and counts with that time.
struct HedgingState: Sendable {
  /// The number of origins that are remembered. The one that was not used for the longest time makes room for a new
  /// one.
  static let mostOrigins = 64
  /// The smallest number of attempts from which a percentile is computed. Of fewer, a 95th percentile is only their
  /// maximum.
  static let fewestSamples = 20
  /// The longest time for which a `Retry-After` prevents second attempts.
  static let longestRest = Duration.seconds(60)

  private struct Origin: Sendable {
    var times = LatencyWindow()
    /// The time until which the origin asked to wait.
    var restsUntil = Duration.zero
    var lastUse: UInt64 = 0
  }

  private var origins: [String: Origin] = [:]
  private var uses: UInt64 = 0
  private var budget = HedgeBudgetState()

  /// The number of origins that are remembered, for tests.
  var count: Int { origins.count }

  /// Counts a first attempt, which allows a share of a second one.
  mutating func attempt() { budget.attempt() }

  /// Returns how long to wait for the response of an attempt before a second one is due; nil if that is not known.
  mutating func delay(_ delay: HedgeDelay, origin: String, at now: Duration) -> Duration? {
    switch delay.kind {
    case .never: nil
    case .fixed(let time): time
    case .percentile(let share):
      change(origin) { $0.times.percentile(share, fewest: Self.fewestSamples, at: now) }
    }
  }

  /// Takes the time from the sending of a first attempt until its response began.
  mutating func took(_ time: Duration, origin: String, at now: Duration) {
    change(origin) { $0.times.add(time, at: now) }
  }

  /// Prevents second attempts for as long as the origin asks to wait.
  mutating func rest(_ wait: Duration, origin: String, at now: Duration) {
    let until = now + min(wait, Self.longestRest)
    change(origin) { $0.restsUntil = max($0.restsUntil, until) }
  }

  enum Decision: Sendable, Hashable {
    case now
    /// Few second attempts are left. They are for requests that have waited for another delay.
    case later
    case never
  }

  /// Decides whether a second attempt is made, and takes it out of the budget if it is.
  /// - Parameter isLate: True if it was put off before.
  mutating func begin(origin: String, isLate: Bool, at now: Duration) -> Decision {
    if let known = origins[origin], now < known.restsUntil { return .never }
    if !isLate, budget.isShort { return .later }
    return budget.take() ? .now : .never
  }

  /// Puts back a second attempt that was not sent.
  mutating func putBack() { budget.putBack() }

  private mutating func change<Value>(_ name: String, _ change: (inout Origin) -> Value) -> Value {
    if origins[name] == nil, origins.count >= Self.mostOrigins,
      let unused = origins.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    {
      origins[unused] = nil
    }
    uses += 1
    origins[name, default: Origin()].lastUse = uses
    return change(&origins[name, default: Origin()])
  }
}

/// Bounds the second attempts of a client. Each first attempt pays in a twentieth of a second one, so that second
/// attempts are at most 5 % of the first ones, from the client's first request on.
struct HedgeBudgetState: Sendable {
  /// The number of first attempts for each second attempt.
  static let cost = 20
  /// The number of second attempts that can be saved up. When an origin becomes slow, this number may be sent at once.
  static let most = 20

  /// The number of second attempts that are left for the slowest responses. After a 95th percentile, 5 % of the requests
  /// have no response, and nearly all of them get one soon. They must not use up what the few slow ones need.
  static let reserved = 5

  private var paid = 0

  /// True if only reserved attempts are left.
  var isShort: Bool { paid < Self.cost * (Self.reserved + 1) }

  mutating func attempt() { paid = min(paid + 1, Self.cost * Self.most) }

  mutating func take() -> Bool {
    guard paid >= Self.cost else { return false }
    paid -= Self.cost
    return true
  }

  mutating func putBack() { paid = min(paid + Self.cost, Self.cost * Self.most) }
}
