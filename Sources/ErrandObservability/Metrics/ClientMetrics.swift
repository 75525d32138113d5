import ErrandCore

/// The counts and times of a client's calls so far (`Client.metrics`).
///
/// A call is counted once, whether it sends a request or shares one (`Request.shared`). Ten calls that share a
/// request are ten calls with one attempt, nine of them coalesced. A call that renews a cached response counts as
/// well.
public struct ClientMetrics: Sendable, Hashable {
  /// The way in which a call ended.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// The call ended with a response, failed, or was cancelled.
    case finished, failed, cancelled
  }

  /// The result of a lookup in the response cache.
  public enum CacheOutcome: String, Sendable, Hashable, CaseIterable {
    /// The cached response was delivered, was missing, was too old, or was delivered because the server was
    /// unavailable.
    case hit, miss, stale, fallback
  }

  /// The attributes by which requests are counted.
  public struct RequestKind: Sendable, Hashable {
    /// The method, if it is one of RFC 9110 or PATCH, or `_OTHER`.
    public let method: String
    /// The result of the request.
    public let result: RequestResult
    /// The origin, such as `https://example.com:443`. Only 100 origins are counted separately; the others are
    /// counted as `other`.
    public let origin: String

    fileprivate static func < (left: Self, right: Self) -> Bool {
      (left.origin, left.method, left.result.rawValue) < (right.origin, right.method, right.result.rawValue)
    }
  }

  /// The result of a request.
  public enum RequestResult: String, Sendable, Hashable, CaseIterable {
    /// The server responded with a status of this class (RFC 9110, section 15).
    case informational = "1xx"
    /// The server responded with a status of this class.
    case successful = "2xx"
    /// The server responded with a status of this class.
    case redirection = "3xx"
    /// The server responded with a status of this class.
    case clientError = "4xx"
    /// The server responded with a status of this class.
    case serverError = "5xx"
    /// No response arrived, or it had a status of no class.
    case failed = "error"
    /// The request was cancelled before its response.
    case cancelled

    init(_ status: HTTPStatus) {
      self = Self(rawValue: "\(status.code / 100)xx") ?? .failed
    }
  }

  /// The name under which calls are counted after 100 origins have their own counts.
  package static let otherOrigins = "other"

  /// The number of calls that have not ended.
  public internal(set) var inFlight = 0
  /// The number of calls that wait for a slot, another call, the next attempt, or a shared response.
  public internal(set) var waiting = 0
  /// The number of calls that ended per second, averaged over the last minute.
  public internal(set) var callsPerSecond = 0.0
  /// The number of calls that have ended, by outcome.
  public internal(set) var outcomes: [Outcome: Int] = [:]
  /// The number of requests sent, including those after redirects.
  public internal(set) var attempts = 0
  /// The number of requests that have ended, including those after redirects.
  public internal(set) var requests: [RequestKind: Int] = [:]
  /// The number of attempts that came after a failure.
  public internal(set) var retries = 0
  /// The number of second attempts beside a first one (`Request.hedged(after:)`), which `attempts` counts as well.
  public internal(set) var hedges = 0
  /// The number of calls that sent no request, because they shared the request or the response of another call.
  public internal(set) var coalesced = 0
  /// The number of lookups in the response cache, by result.
  public internal(set) var cache: [CacheOutcome: Int] = [:]
  /// The distribution of the times that calls took, by origin. Only 100 origins are counted separately; the
  /// others are counted as `otherOrigins`.
  public internal(set) var latencies: [String: Histogram] = [:]

  /// Makes metrics in which every count is 0.
  package init() {}

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
    text.counter(
      "errand_requests_total", "Requests that have ended, by method, class of the status, and origin.",
      requests.sorted { $0.key < $1.key }.map { kind, count in
        ([("method", kind.method), ("status", kind.result.rawValue), ("origin", kind.origin)], Double(count))
      })
    text.counter("errand_retries_total", "Attempts after a failure.", [([], Double(retries))])
    text.counter("errand_hedges_total", "Second attempts beside a first one.", [([], Double(hedges))])
    text.counter(
      "errand_coalesced_total", "Calls that shared the request of another.", [([], Double(coalesced))])
    text.counter(
      "errand_cache_total", "Look-ups in the response cache.",
      CacheOutcome.allCases.map { ([("result", $0.rawValue)], Double(cache[$0, default: 0])) })
    text.histogram("errand_call_duration_seconds", "The times that calls took.", latencies, by: "origin")
    return text.text
  }
}

/// The distribution of durations.
public struct Histogram: Sendable, Hashable {
  /// The upper bounds of the buckets, in seconds. The last bucket has no bound. They are OpenTelemetry's for
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

  /// Makes an empty histogram.
  package init() {}

  /// Adds a duration. One that equals a bound belongs to the bucket below it.
  package mutating func add(_ duration: Duration) { add(seconds: duration.seconds) }

  /// Adds a duration, which counts as at most a hundred years, so that the sum stays a number.
  mutating func add(seconds: Double) {
    let seconds = min(seconds, Duration.longest.seconds)
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
  }
}
