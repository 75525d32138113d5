import ErrandCore

/// The waits between the requests of one kind, after failures.
struct OTLPPace: Sendable {
  /// The first wait after a failure, and the longest one that the collector has not asked for.
  static let backoff = Duration.seconds(1)
  static let longestBackoff = Duration.seconds(5)

  private(set) var pausedUntil: Duration?
  /// True from a failed attempt until the collector accepts a request.
  private(set) var isFailing = false

  /// Returns true if a request may be sent now.
  mutating func isFree(_ now: Duration) -> Bool {
    if let end = pausedUntil, end <= now { pausedUntil = nil }
    return pausedUntil == nil
  }

  mutating func succeeded() { isFailing = false }

  mutating func failed(until end: Duration) {
    isFailing = true
    pausedUntil = max(pausedUntil ?? end, end)
  }

  /// Returns the wait after a failure.
  /// - Parameters:
  ///   - asked: The wait that the collector has asked for, if any.
  ///   - most: The longest wait, unless the exporter's own is longer.
  ///   - failures: The number of failures so far, from 1.
  ///   - random: A random number from 0 to 1.
  func wait(_ asked: Duration?, most: Duration, _ failures: Int, _ random: Double) -> Duration {
    // Half of the wait is random, so that many programs do not come back together.
    let own = min(Self.backoff * (1 << min(failures - 1, 10)), Self.longestBackoff) * (0.5 + random / 2)
    return asked.map { min($0, max(most, own)) } ?? own
  }
}
