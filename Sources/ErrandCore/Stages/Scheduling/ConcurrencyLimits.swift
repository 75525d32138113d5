/// The limits on the number of a client's requests that are on the wire at once. Requests over a limit wait,
/// without a thread. They start in the order of their priority, and first in, first out within one priority.
/// A limit below 1 counts as 1.
public struct ConcurrencyLimits: Sendable, Hashable {
  /// The maximum number of requests in all, or nil for no limit. Default: 64.
  public var total: Int? = 64
  /// The maximum number of requests to one origin (scheme, host and port), or nil for no limit of that kind.
  /// An origin at its limit does not hold up others. Redirects count for the origin of the first request. A
  /// changed limit applies to requests that are sent afterwards. Default: 4.
  public var perOrigin: Int? = 4
  /// How many slots of `total`, and of `perOrigin`, are reserved. `utility` and `background` never take them,
  /// so that requests that a person waits for do not queue behind them. One slot always remains for all.
  /// Default: 2.
  ///
  /// The default is measured (`Benchmarks`, `scheduling`): four slots, an endless flood of requests of 1 s
  /// each, and pages that ask for one to six responses of 0.2 s each. With 0, 1, 2 and 3 reserved slots, 95 %
  /// of the pages' requests began within 1.4, 0.9, 0.5 and 0.3 s (0.1 s without a flood). The flood got 3.6,
  /// 2.9, 2.0 and 1.0 requests a second.
  public var reserved = 2
  /// A request that has waited this long counts as if it had the next higher priority and had just arrived,
  /// and so on upwards, so that no request waits for ever. By age, `utility` and `background` overtake higher
  /// priorities with at most one of eight starts, and they never use the reserved slots. Default: 5 s.
  public var ageing: Duration = .seconds(5)

  /// Creates limits.
  /// - Parameters:
  ///   - total: The maximum number of requests in all, or nil for no limit. Default: 64.
  ///   - perOrigin: The maximum number of requests to one origin, or nil for no limit. Default: 4.
  public init(total: Int? = 64, perOrigin: Int? = 4) {
    self.total = total
    self.perOrigin = perOrigin
  }

  /// The limits under which no request waits.
  public static let unlimited = ConcurrencyLimits(total: nil, perOrigin: nil)
}
