#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension VirtualClock {
  /// Returns a wall clock that runs with this clock, for `ClientConfiguration.date`.
  /// - Parameter start: The date when the clock stands at zero.
  public func date(startingAt start: Date) -> @Sendable () -> Date {
    { [self] in
      let (seconds, attoseconds) = now.offset.components
      return start.addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }
  }
}
