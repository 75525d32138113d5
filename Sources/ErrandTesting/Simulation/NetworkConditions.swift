/// The latencies and faults of a `SimulatedNetwork`. Shares are fractions of all attempts, from 0 to 1. The
/// default network has no faults.
public struct NetworkConditions: Sendable, Hashable {
  /// The latency in one direction. Connecting takes a round trip. Default: 5 to 50 ms.
  public var latency: ClosedRange<Duration> = .milliseconds(5)...(.milliseconds(50))
  /// The time that the server takes to process a request. Default: 1 to 100 ms.
  public var service: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(100))
  /// The share of attempts with twenty times the latency and processing time. Default: 0.
  public var slow = 0.0
  /// The share of attempts whose connection is refused. Default: 0.
  public var refusals = 0.0
  /// The share of attempts whose request or response is lost, so that they time out. Default: 0.
  public var loss = 0.0
  /// The share of attempts whose connection is reset: before the request is sent, after the server has
  /// received it, or in the middle of the response. Default: 0.
  public var resets = 0.0
  /// The share of attempts that get a 500, 502, 503 or 429 instead of the server's response. Default: 0.
  public var serverErrors = 0.0
  /// The share of these error responses that have a `Retry-After` of one to three seconds. Default: 0.5.
  public var retryAfter = 0.5
  /// The sizes in bytes of the pieces in which bodies arrive. Default: 1 to 1024.
  public var piece: ClosedRange<Int> = 1...1024
  /// The pause before each piece. Default: 0 to 20 ms.
  public var pause: ClosedRange<Duration> = .zero...(.milliseconds(20))

  /// Creates the conditions of a network without faults.
  public init() {}

  /// A bad network: latencies of 20 to 400 ms, and 5 or 10 % of each fault.
  public static var bad: NetworkConditions {
    var conditions = NetworkConditions()
    conditions.latency = .milliseconds(20)...(.milliseconds(400))
    conditions.slow = 0.05
    conditions.refusals = 0.05
    conditions.loss = 0.05
    conditions.resets = 0.1
    conditions.serverErrors = 0.1
    return conditions
  }
}
