/// The times that the last attempts took until the head of their response. Pure: the time is a parameter.
///
/// The times are stored twice: in the order in which they came, and sorted. So a percentile costs nothing, and a new
/// time moves some kilobytes at most. A time has four bytes, in microseconds.
struct LatencyWindow: Sendable {
  /// The number of times that are stored.
  static let capacity = 1000
  /// The age after which a time does not count any more, in seconds.
  static let longestAge: UInt32 = 600

  private struct Sample: Sendable {
    let microseconds: UInt32
    /// The second at which it was taken.
    let second: UInt32
  }

  /// In the order in which they came. Those before `oldest` do not count any more.
  private var samples: [Sample] = []
  private var oldest = 0
  private var sorted: [UInt32] = []

  var count: Int { sorted.count }

  /// Adds a time, in place of the oldest if the window is full.
  mutating func add(_ time: Duration, at now: Duration) {
    forgetOld(at: now)
    if count == Self.capacity { removeOldest() }
    let sample = Sample(microseconds: Self.microseconds(time), second: Self.second(now))
    samples.append(sample)
    sorted.insert(sample.microseconds, at: position(of: sample.microseconds))
  }

  /// Returns the time that this share of the attempts did not exceed; nil if too few are known.
  mutating func percentile(_ share: Double, fewest: Int, at now: Duration) -> Duration? {
    forgetOld(at: now)
    guard count >= Self.needed(for: share, fewest: fewest) else { return nil }
    let rank = Int((share * Double(count)).rounded(.up))
    return .microseconds(Int64(sorted[min(max(rank, 1), count) - 1]))
  }

  /// Returns the number of attempts of which at least one is expected to be above the percentile.
  static func needed(for share: Double, fewest: Int) -> Int {
    // Rounded, because 1 / (1 - 0.95) is 19.999…
    let expected = min((1 / (1 - share) * 1000).rounded() / 1000, Double(capacity))
    return max(fewest, Int(expected.rounded(.up)))
  }

  private mutating func forgetOld(at now: Duration) {
    let second = Self.second(now)
    while count > 0, second >= samples[oldest].second,
      second - samples[oldest].second > Self.longestAge
    {
      removeOldest()
    }
  }

  private mutating func removeOldest() {
    sorted.remove(at: position(of: samples[oldest].microseconds))
    oldest += 1
    // Rarely, because the others are moved.
    if oldest == samples.count || oldest == Self.capacity {
      samples.removeFirst(oldest)
      oldest = 0
    }
  }

  /// Returns the first place whose time is not less than this one.
  private func position(of microseconds: UInt32) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < microseconds { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func microseconds(_ time: Duration) -> UInt32 {
    UInt32(clamping: (time.attoseconds + 999_999_999_999) / 1_000_000_000_000)
  }

  private static func second(_ now: Duration) -> UInt32 { UInt32(clamping: now.wholeMilliseconds / 1000) }
}
