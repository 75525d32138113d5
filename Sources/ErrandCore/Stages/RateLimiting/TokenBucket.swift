/// A token bucket. Pure: the time is a parameter. It computes with whole numbers, so it is exact over any time.
///
/// What was taken is counted in units of which a token has as many as a period has attoseconds. In each attosecond, as
/// many units come back as the limit has requests. `RateLimit` bounds the numbers such that nothing overflows.
///
/// Threads may read the clock and then come in another order, so a small step back of the time counts as no step. When
/// the time steps back by more than an empty bucket takes to fill, the clock was set, and the bucket counts from the
/// new time on.
package struct TokenBucket: Sendable, Hashable {
  /// The bounds of the time: a hundred thousand years in both directions.
  private static let bound = Duration.longest.attoseconds * 1000

  package private(set) var limit: RateLimit
  /// The units that are missing in the bucket.
  private var missing: Int128 = 0
  /// The number of taken tokens that do not come back yet.
  private var held = 0
  private var latest: Int128

  /// Creates a full bucket.
  package init(_ limit: RateLimit, at now: Duration) {
    self.limit = limit
    latest = Self.bounded(now)
  }

  /// Takes a token. Returns false, and changes nothing that matters, if the bucket has none.
  package mutating func take(at now: Duration) -> Bool {
    refill(at: now)
    guard missing <= Self.capacity(limit) - Self.token(limit) else { return false }
    missing += Self.token(limit)
    return true
  }

  /// Takes a token for an attempt that has not begun. The token comes back from `begin` on, so attempts that have
  /// waited and then begin at once are as many as the bucket would have let begin then.
  mutating func hold(at now: Duration) -> Bool {
    guard take(at: now) else { return false }
    held += 1
    return true
  }

  /// Notes that an attempt with a held token begins.
  mutating func begin(at now: Duration) {
    refill(at: now)
    held = max(0, held - 1)
  }

  /// Holds a token again after `begin`, because its attempt has not begun after all.
  mutating func holdAgain(at now: Duration) {
    refill(at: now)
    held += 1
    missing = max(missing, min(Int128(held) * Self.token(limit), Self.capacity(limit)))
  }

  /// Puts back a held token that was not used.
  mutating func putBack() {
    missing = max(0, missing - Self.token(limit))
    held = max(0, held - 1)
  }

  /// True if all tokens are held, so that none comes back before an attempt begins.
  var isHeld: Bool { held >= limit.burst }

  /// Returns the time until the bucket has a token; zero if it has one. No token may be taken before. If all tokens are
  /// held, the time is practically endless.
  package func wait(at now: Duration) -> Duration {
    var bucket = self
    bucket.refill(at: now)
    let excess = bucket.missing - (Self.capacity(limit) - Self.token(limit))
    guard excess > 0 else { return .zero }
    if isHeld { return .longest }
    return Duration(attoseconds: Self.roundedUp(excess, limit) + max(0, bucket.latest - Self.bounded(now)))
  }

  /// Returns true if the bucket is like a new one.
  package func isFull(at now: Duration) -> Bool {
    var bucket = self
    bucket.refill(at: now)
    return bucket.missing == 0
  }

  /// Changes the limit. The bucket keeps the number of missing tokens, but at most as many as it can hold.
  package mutating func setLimit(_ new: RateLimit, at now: Duration) {
    guard new != limit else { return }
    refill(at: now)
    let product = UInt128(missing).multipliedFullWidth(by: UInt128(Self.token(new)))
    let scaled = UInt128(Self.token(limit)).dividingFullWidth(product).quotient
    limit = new
    missing = min(Int128(scaled), Self.capacity(new))
  }

  private mutating func refill(at now: Duration) {
    let now = Self.bounded(now)
    let elapsed = now - latest
    guard elapsed > 0 else {
      if -elapsed > Self.roundedUp(Self.capacity(limit), limit) { latest = now }
      return
    }
    latest = now
    // After a change of the limit, more tokens may be held than the bucket can miss.
    let kept = min(missing, Int128(held) * Self.token(limit))
    missing =
      elapsed >= Self.roundedUp(missing - kept, limit) ? kept : missing - elapsed * Int128(limit.requests)
  }

  /// The units of one token.
  private static func token(_ limit: RateLimit) -> Int128 { limit.per.attoseconds }

  private static func capacity(_ limit: RateLimit) -> Int128 { Int128(limit.burst) * token(limit) }

  /// Returns the attoseconds in which so many units come back, rounded up.
  private static func roundedUp(_ units: Int128, _ limit: RateLimit) -> Int128 {
    (units + Int128(limit.requests) - 1) / Int128(limit.requests)
  }

  private static func bounded(_ now: Duration) -> Int128 { min(max(now.attoseconds, -bound), bound) }
}
