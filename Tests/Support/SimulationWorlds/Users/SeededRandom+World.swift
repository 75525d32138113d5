import ErrandTesting

extension SeededRandom {
  /// Returns a duration with nanoseconds, so that no two events happen at the same instant by accident.
  mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .nanoseconds(Int.random(in: range.lowerBound * 1_000_000...range.upperBound * 1_000_000, using: &self))
  }

  /// Returns true once in `count` times on average.
  mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
