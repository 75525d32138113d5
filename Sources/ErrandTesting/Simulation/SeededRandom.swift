/// A generator whose random numbers are the same for the same seed (SplitMix64), so that a simulation can be
/// repeated. Pass it to `ClientConfiguration.random` or to a `SimulatedNetwork`.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator. Every seed gives another sequence of numbers.
  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension RandomNumberGenerator {
  /// Returns true with the probability `share`.
  mutating func chance(_ share: Double) -> Bool {
    share > 0 && Double.random(in: 0..<1, using: &self) < share
  }

  /// Returns a random duration in the range, in whole microseconds.
  mutating func duration(in range: ClosedRange<Duration>) -> Duration {
    let microsecond = Duration.microseconds(1)
    let (low, high) = (Int64(range.lowerBound / microsecond), Int64(range.upperBound / microsecond))
    return .microseconds(Int64.random(in: low...high, using: &self))
  }
}
