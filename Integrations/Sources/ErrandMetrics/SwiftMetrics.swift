import CoreMetrics
public import Errand
import Synchronization

/// Records a client's calls with swift-metrics.
///
/// ```swift
/// let metrics = SwiftMetrics()
/// configuration.listeners.append(metrics)       // counters
/// configuration.tracing = .measuring(metrics)   // durations; with spans: Tracing(tracer, meter: metrics)
/// ```
///
/// As a meter it records the timer `http.client.request.duration` for each request that is sent, with the dimensions of
/// OpenTelemetry's conventions: `http.request.method`, `server.address`, `server.port`, `url.scheme`,
/// `http.response.status_code`, `error.type` and `network.protocol.version`. As a listener it has the counters
/// `errand_calls_total` by `outcome`, `errand_attempts_total`, `errand_retries_total`, `errand_hedges_total`,
/// `errand_coalesced_total` and `errand_cache_total` by `result`, which mean the same as those of `ClientMetrics`.
///
/// No dimension has a path or a query. At most 100 servers have separate timers, and at most `limit` timers are made;
/// further requests are recorded with the server `other`, without a port and a status.
public final class SwiftMetrics: EventListener, RequestMeter {
  private struct State: Sendable {
    var servers: Set<String> = []
    var timers: [[String]: CoreMetrics.Timer] = [:]
    var counters: [[String]: Counter] = [:]
    /// The number of shared requests whose first call has not been left out of the count. That call has begun the
    /// request, and its events and those of the request come in any order.
    var begun = 0
  }

  private static let mostServers = 100
  private let limit: Int
  private let state = Mutex(State())

  /// Makes metrics of the factory with which swift-metrics' `MetricsSystem` was set up.
  /// - Parameter limit: The maximum number of timers. Default: 2,000.
  public init(limit: Int = 2_000) { self.limit = limit }

  public func record(duration: Double, _ attributes: [String: TraceValue]) {
    let dimensions = attributes.map { ($0.key, $0.value.description) }.sorted { $0.0 < $1.0 }
    timer(dimensions, server: attributes["server.address"]?.description ?? "").recordSeconds(duration)
  }

  private func timer(_ all: [(String, String)], server: String) -> CoreMetrics.Timer {
    let dimensions = state.withLock { state in
      if state.servers.count < Self.mostServers { state.servers.insert(server) }
      let isKnown = state.timers[Self.key(all)] != nil || state.timers.count < limit
      return state.servers.contains(server) && isKnown ? all : Self.bounded(all)
    }
    let key = Self.key(dimensions)
    if let timer = state.withLock({ $0.timers[key] }) { return timer }
    // Made without the lock, because the factory is not Errand's.
    let timer = CoreMetrics.Timer(
      label: "http.client.request.duration", dimensions: dimensions, preferredDisplayUnit: .seconds)
    return state.withLock { state in
      let first = state.timers[key] ?? timer
      state.timers[key] = first
      return first
    }
  }

  private static func key(_ dimensions: [(String, String)]) -> [String] {
    dimensions.flatMap { [$0.0, $0.1] }
  }

  /// Returns the dimensions that have few values.
  private static func bounded(_ all: [(String, String)]) -> [(String, String)] {
    [("server.address", "other")]
      + all.filter { name, value in
        switch name {
        case "http.request.method", "url.scheme": true
        // A number is a status.
        case "error.type": Int(value) == nil
        default: false
        }
      }
  }

  public func record(_ event: CallEvent) {
    switch event.kind {
    case .attemptStarted, .resent: count("errand_attempts_total")
    default: break
    }
    // A second attempt is a part of another call, which is counted.
    if event.purpose == .hedge { return }
    switch event.kind {
    case .started where event.purpose == .sharing: state.withLock { $0.begun += 1 }
    case .coalesced:
      let isCounted = state.withLock { state in
        defer { state.begun = max(0, state.begun - 1) }
        return state.begun == 0
      }
      if isCounted { count("errand_coalesced_total") }
    case .retrying: count("errand_retries_total")
    case .hedged: count("errand_hedges_total")
    case .cacheDecided(let decision):
      if let result = Self.result(of: decision) { count("errand_cache_total", ("result", result)) }
    case .finished: end(event, "finished")
    case .failed: end(event, "failed")
    case .cancelled: end(event, "cancelled")
    default: break
    }
  }

  private func end(_ event: CallEvent, _ outcome: String) {
    // A shared request is a part of the calls that share it.
    if event.purpose != .sharing { count("errand_calls_total", ("outcome", outcome)) }
  }

  private func count(_ label: String, _ dimension: (String, String)? = nil) {
    let key = [label, dimension?.1 ?? ""]
    if let counter = state.withLock({ $0.counters[key] }) { return counter.increment() }
    let counter = Counter(label: label, dimensions: dimension.map { [$0] } ?? [])
    let first = state.withLock { state in
      let first = state.counters[key] ?? counter
      state.counters[key] = first
      return first
    }
    first.increment()
  }

  /// Returns nil for a decision that only completes an earlier one.
  private static func result(of decision: CacheDecision) -> String? {
    switch decision {
    case .missing: "miss"
    case .stale: "stale"
    case .hit, .hitAndRenew: "hit"
    case .fallback: "fallback"
    case .http(let status) where status.forwardStatus != nil: nil
    case .http(let status):
      status.isHit ? "hit" : status.forward == .stale || status.forward == .request ? "stale" : "miss"
    }
  }
}

extension Tracing {
  /// Returns the tracing of a client that only measures: it makes no spans, and sends nothing about a trace.
  /// - Parameter meter: Receives the durations of requests.
  public static func measuring(_ meter: any RequestMeter) -> Tracing { Tracing(NoTracer(), meter: meter) }
}

private struct NoTracer: RequestTracer {
  func end(_ span: TraceSpan) {}
}
