import ErrandCore

extension Duration {
  /// The duration in whole milliseconds, rounded up so that no wait ends too early, and at least zero.
  package var storedMilliseconds: Int64 {
    let limited = min(max(self, .zero), .longest)
    let (seconds, attoseconds) = limited.components
    return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
