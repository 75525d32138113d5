import ErrandCore

/// The numbers of a client's calls so far (`Client.metrics`).
public struct ClientMetrics: Sendable, Hashable {
  /// How a call ended.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    case finished, failed, cancelled
  }

  /// What came of asking the response cache.
  public enum CacheOutcome: String, Sendable, Hashable, CaseIterable {
    case hit, miss, stale, fallback
  }

  /// The name under which the calls to further origins are counted, when there are too many.
  public static let otherOrigins = "other"

  /// The number of calls that have not ended.
  public internal(set) var inFlight = 0
  /// The number of those that wait: for a slot, for other calls, between attempts, for a shared response.
  public internal(set) var waiting = 0
  /// The number of calls that ended within the last minute, for each second of it.
  public internal(set) var callsPerSecond = 0.0
  /// The number of calls that have ended, by how they did.
  public internal(set) var outcomes: [Outcome: Int] = [:]
  /// The number of attempts, and redirects that they followed.
  public internal(set) var attempts = 0
  /// The number of attempts that came after a failure.
  public internal(set) var retries = 0
  /// The number of calls that got the response of another.
  public internal(set) var coalesced = 0
  /// The number of times that the response cache was asked, by what came of it.
  public internal(set) var cache: [CacheOutcome: Int] = [:]
  /// The times that calls took, by origin: of 100 origins at most, the rest together as `otherOrigins`.
  public internal(set) var latencies: [String: Histogram] = [:]

  public init() {}

  /// The metrics in Prometheus' text format (version 0.0.4).
  public var prometheus: String {
    var text = PrometheusText()
    text.gauge("errand_calls_in_flight", "Calls that have not ended.", [([], Double(inFlight))])
    text.gauge("errand_calls_waiting", "Calls that wait.", [([], Double(waiting))])
    text.gauge(
      "errand_calls_per_second", "Calls that ended, averaged over a minute.", [([], callsPerSecond)])
    text.counter(
      "errand_calls_total", "Calls that have ended.",
      Outcome.allCases.map { ([("outcome", $0.rawValue)], Double(outcomes[$0, default: 0])) })
    text.counter("errand_attempts_total", "Requests that were sent.", [([], Double(attempts))])
    text.counter("errand_retries_total", "Attempts after a failure.", [([], Double(retries))])
    text.counter(
      "errand_coalesced_total", "Calls that got the response of another.", [([], Double(coalesced))])
    text.counter(
      "errand_cache_total", "Look-ups in the response cache.",
      CacheOutcome.allCases.map { ([("result", $0.rawValue)], Double(cache[$0, default: 0])) })
    text.histogram("errand_call_duration_seconds", "The times that calls took.", latencies, by: "origin")
    return text.text
  }
}

/// The distribution of durations.
public struct Histogram: Sendable, Hashable {
  /// The upper bounds of the buckets in seconds, after which one without a bound follows: OpenTelemetry's for
  /// `http.client.request.duration`.
  public static let bounds = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
  ]

  /// The number of durations in each bucket.
  public private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  /// The sum of all durations, in seconds.
  public private(set) var sum = 0.0
  /// The number of durations.
  public var count: Int { counts.reduce(0, +) }

  public init() {}

  /// Counts a duration. A bound belongs to the bucket that it ends.
  public mutating func add(_ duration: Duration) {
    let seconds = duration.seconds
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
  }
}
