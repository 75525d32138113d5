/// What a `SimulatedNetwork` does to those who use it. Shares are between 0 and 1, of all tries; the default is a network
/// without faults.
public struct NetworkConditions: Sendable, Hashable {
  /// One way. A new connection takes there and back.
  public var latency: ClosedRange<Duration> = .milliseconds(5)...(.milliseconds(50))
  /// How long the server thinks about a request.
  public var service: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(100))
  /// Tries that take twenty times as long, every way.
  public var slow = 0.0
  /// Connections that are refused.
  public var refusals = 0.0
  /// Requests or answers that vanish: nothing comes until the time-out.
  public var loss = 0.0
  /// Connections that break: before the request is out, after the server has seen it, or in the middle of the answer.
  public var resets = 0.0
  /// Answers with 500, 502, 503 or 429 in place of the server's own.
  public var serverErrors = 0.0
  /// Of those, the ones with a `Retry-After`, of one to three seconds.
  public var retryAfter = 0.5
  /// The pieces in which bodies come, in bytes.
  public var piece: ClosedRange<Int> = 1...1024
  /// The time between two pieces.
  public var pause: ClosedRange<Duration> = .zero...(.milliseconds(20))

  public init() {}

  /// A bit of everything that goes wrong.
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
