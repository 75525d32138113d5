import Synchronization

/// The pass of an attempt that may still wait: to be signed, or for a slot. The last stage notes when it begins.
final class HeldPass: Sendable {
  let pass: RatePass
  private let limiter: RateLimiter
  private let begun = Atomic(false)

  init(_ pass: RatePass, of limiter: RateLimiter) {
    self.pass = pass
    self.limiter = limiter
  }

  var hasBegun: Bool { begun.load(ordering: .relaxed) }

  /// Notes that a request of the attempt is about to be sent. Only the first one counts.
  func begin() {
    if !begun.exchange(true, ordering: .relaxed) { limiter.begin(pass) }
  }
}
