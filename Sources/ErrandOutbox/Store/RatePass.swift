package import ErrandCore

/// The store's decision whether a request may be sent within its rate limit, which all owners share.
package struct RatePass: Sendable, Hashable {
  /// How long the request has to wait before it asks again; zero if it may be sent now, and counts.
  package var wait: Duration
  /// How long the next request has to wait.
  package var next: Duration

  package init(wait: Duration = .zero, next: Duration = .zero) {
    self.wait = wait
    self.next = next
  }
}

/// A token bucket in the form in which a store keeps it: the time at which it would be full, in nanoseconds. Pure.
package struct RateBucket: Sendable, Hashable {
  /// The time in which a token comes back, in nanoseconds.
  package let spacing: Int64
  /// The time in which all tokens but one come back.
  package let tolerance: Int64

  /// Longer than any program runs, and short enough that sums do not overflow.
  private static let longest: Int64 = 1 << 61

  package init(_ limit: RateLimit) {
    let length = min(limit.per, .longest).components
    let nanoseconds = Int128(length.seconds) * 1_000_000_000 + Int128(length.attoseconds / 1_000_000_000)
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: Int128(limit.requests))
    let spacing = max(1, whole + (rest > 0 ? 1 : 0))
    self.spacing = Int64(min(spacing, Int128(Self.longest)))
    tolerance = Int64(min(Int128(limit.burst - 1) * spacing, Int128(Self.longest)))
  }

  /// Takes a token.
  /// - Parameters:
  ///   - full: The time at which the bucket would be full; nil for a full bucket.
  ///   - now: The store's time in milliseconds.
  /// - Returns: The decision, and the new value of `full`.
  package func take(full: Int64?, at now: Int64) -> (pass: RatePass, full: Int64) {
    let now = now * 1_000_000
    // After a restart of the machine or a change of the limit, the bucket is at most empty.
    let full = min(max(full ?? now, now), now + tolerance + spacing)
    let wait = full - tolerance - now
    if wait > 0 { return (RatePass(wait: .nanoseconds(wait)), full) }
    let next = full + spacing - tolerance - now
    return (RatePass(next: .nanoseconds(max(0, next))), full + spacing)
  }
}
