/// The latencies and faults of a `SimulatedNetwork`. Shares are between 0 and 1, of all attempts; the default
/// is a network without faults.
public struct NetworkConditions: Sendable, Hashable {
  /// The latency of one way. A new connection takes a round trip.
  public var latency: ClosedRange<Duration> = .milliseconds(5)...(.milliseconds(50))
  /// How long the server takes to process a request.
  public var service: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(100))
  /// The share of attempts with twenty times the latency and processing time.
  public var slow = 0.0
  /// The share of attempts whose connection is refused.
  public var refusals = 0.0
  /// The share of attempts whose request or response is lost: nothing arrives until the time-out.
  public var loss = 0.0
  /// The share of attempts whose connection is reset: before the request is sent, after the server has
  /// received it, or in the middle of the response.
  public var resets = 0.0
  /// The share of attempts that get a 500, 502, 503 or 429 instead of the server's own response.
  public var serverErrors = 0.0
  /// The share of these error responses that have a `Retry-After`, of one to three seconds.
  public var retryAfter = 0.5
  /// The sizes of the pieces in which bodies arrive, in bytes.
  public var piece: ClosedRange<Int> = 1...1024
  /// The pause before each piece.
  public var pause: ClosedRange<Duration> = .zero...(.milliseconds(20))

  public init() {}

  /// A bad network: slow, with some of every fault.
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
