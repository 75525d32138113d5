/// How many requests of a client are on the wire at once. What is over a limit waits, without a thread, and goes by
/// priority; first in, first out within one. A limit below 1 counts as 1.
public struct ConcurrencyLimits: Sendable, Hashable {
  /// How many at once in all, or nil for no limit. Default: 64.
  public var total: Int? = 64
  /// How many at once to one origin (scheme, host and port), or nil for no limit of that kind. An origin at its limit does
  /// not hold up others. Redirects count for the origin that was asked first.
  /// Set while requests run, it counts for those that are sent from then on. Default: 4.
  public var perOrigin: Int? = 4
  /// How many slots of `total`, and of `perOrigin`, are never taken by `utility` and `background`, so that what a person
  /// looks at does not wait behind them. One slot always remains for all. Default: 2.
  ///
  /// The default is measured (`Benchmarks`, `scheduling`): four slots, a flood of requests of 1 s each that never ends,
  /// and pages that ask for one to six answers of 0.2 s each. With 0, 1, 2 and 3 kept, 95 % of the pages' requests began
  /// within 1.4, 0.9, 0.5 and 0.3 s (0.1 s without a flood), and the flood got 3.6, 2.9, 2.0 and 1.0 requests a second.
  public var kept = 2
  /// Who has waited this long goes as if it were of the next higher priority and had come only now, and so on upwards, so
  /// that nobody waits for ever. What a person looks at is overtaken so by one start of eight at most, and the slots that
  /// are kept stay kept. Default: 5 s.
  public var ageing: Duration = .seconds(5)

  public init(total: Int? = 64, perOrigin: Int? = 4) {
    self.total = total
    self.perOrigin = perOrigin
  }

  /// Nothing waits.
  public static let unlimited = ConcurrencyLimits(total: nil, perOrigin: nil)
}
