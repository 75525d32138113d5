import ErrandTesting

extension SeededRandom {
  /// To the nanosecond, so that nothing happens at the same instant by accident.
  mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .nanoseconds(Int.random(in: range.lowerBound * 1_000_000...range.upperBound * 1_000_000, using: &self))
  }

  /// True once in so many times.
  mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
