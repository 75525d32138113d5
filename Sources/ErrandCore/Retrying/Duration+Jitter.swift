extension Duration {
  /// Returns the wait after the n-th attempt: random between zero and `backoff · 2ⁿ⁻¹`, or `most` if that is
  /// shorter (full jitter).
  package static func jitter(
    after attempts: Int, backoff: Duration, most: Duration, using random: inout some RandomNumberGenerator
  ) -> Duration {
    let doubled = backoff.seconds * Double(sign: .plus, exponent: min(attempts - 1, 60), significand: 1)
    let ceiling = min(doubled, most.seconds)
    guard ceiling > 0 else { return .zero }
    return .seconds(Double.random(in: 0...ceiling, using: &random))
  }
}
