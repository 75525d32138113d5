import ErrandCore

/// Counts a client's calls and their events. Pure: the time is a parameter.
struct MetricsState: Sendable {
  /// The maximum number of origins with separate counts. Calls to other origins are counted together.
  static let mostOrigins = 100
  /// The time over which rates are averaged, in seconds.
  static let span = 60

  private(set) var metrics = ClientMetrics()
  private var begun: [UInt64: Duration] = [:]
  /// The requests that were sent and have not ended, by the number of their call.
  private var open: [UInt64: (method: String, origin: String)] = [:]
  /// The origins with separate counts of requests.
  private var origins: Set<String> = []
  private var waiting: Set<UInt64> = []
  /// The number of calls that ended in each of the last seconds.
  private var ends = [(second: Int, count: Int)](repeating: (-1, 0), count: span)

  init() {}

  mutating func started(_ call: UInt64, at now: Duration) {
    begun[call] = now
    metrics.inFlight = begun.count
  }

  mutating func waits(_ call: UInt64) {
    waiting.insert(call)
    metrics.waiting = waiting.count
  }

  mutating func waited(_ call: UInt64) {
    waiting.remove(call)
    metrics.waiting = waiting.count
  }

  mutating func count(_ change: (inout ClientMetrics) -> Void) { change(&metrics) }

  /// Takes the beginning of a request.
  mutating func sent(_ call: UInt64, method: String, origin: String) {
    requestEnded(call, .failed)
    metrics.attempts += 1
    open[call] = (method, origin)
  }

  /// Takes the end of a call's request, unless it has ended before.
  mutating func requestEnded(_ call: UInt64, _ result: ClientMetrics.RequestResult) {
    guard let request = open.removeValue(forKey: call) else { return }
    if origins.count < Self.mostOrigins { origins.insert(request.origin) }
    let origin = origins.contains(request.origin) ? request.origin : ClientMetrics.otherOrigins
    metrics.requests[
      ClientMetrics.RequestKind(method: request.method, result: result, origin: origin), default: 0] += 1
  }

  mutating func ended(_ call: UInt64, _ outcome: ClientMetrics.Outcome, origin: String, at now: Duration) {
    waited(call)
    metrics.outcomes[outcome, default: 0] += 1
    guard let began = begun.removeValue(forKey: call) else { return }
    metrics.inFlight = begun.count
    let isCounted = metrics.latencies[origin] != nil || metrics.latencies.count < Self.mostOrigins
    metrics.latencies[isCounted ? origin : ClientMetrics.otherOrigins, default: Histogram()].add(now - began)
    let second = Int(now.components.seconds)
    let place = second % Self.span
    if ends[place].second != second { ends[place] = (second, 0) }
    ends[place].count += 1
  }

  /// Returns the metrics, with the rate at the given time.
  func snapshot(at now: Duration) -> ClientMetrics {
    let second = Int(now.components.seconds)
    let recent = ends.filter { $0.second > second - Self.span && $0.second >= 0 }.map(\.count).reduce(0, +)
    var metrics = metrics
    metrics.callsPerSecond = Double(recent) / Double(min(Self.span, second + 1))
    return metrics
  }
}
