/// The rules for which failures are retried, how often and when.
///
/// A request whose method is idempotent, or that carries an `Idempotency-Key`, is retried after each failure
/// that the policy lists. Any other request (POST, PATCH) is retried only if certainly no bytes reached the
/// server.
///
/// An outbox does not use this policy. Each of its attempts is one attempt of its client, and
/// `DeliveryPolicy` says when the next is due, so that the two policies never multiply.
public struct RetryPolicy: Sendable, Hashable {
  /// The maximum number of attempts, including the first. Default: 3.
  public var maxAttempts = 3
  /// The methods that may be retried even if the server may have seen the request. Default: the idempotent
  /// ones.
  public var methods: Set<HTTPMethod> = Self.idempotentMethods
  /// The statuses of rejected responses that are retried. Default: 408, 425, 429, 500, 502, 503, 504.
  public var statuses: Set<Int> = Self.usualStatuses
  /// The failures that are retried. Default: time-outs, failures to resolve or connect, and lost connections.
  public var failures: Set<RequestError.Code> = Self.usualFailures
  /// The base of the backoff: the wait before attempt n+1 is random between zero and `backoff · 2ⁿ⁻¹` (full
  /// jitter). Default: 0.5 s.
  public var backoff: Duration = .milliseconds(500)
  /// The longest backoff. Default: 20 s.
  public var maxBackoff: Duration = .seconds(20)
  /// The longest `Retry-After` that a call waits for. If a server asks for more, the call fails at once, and
  /// `RequestError.retryAfter` says how long to wait. Default: 60 s.
  public var maxRetryAfter: Duration = .seconds(60)

  // Sets that are the same object are compared in constant time, and most policies have these.
  private static let idempotentMethods: Set<HTTPMethod> = [.get, .head, .put, .delete, .options, .trace]
  private static let usualStatuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
  private static let usualFailures: Set<RequestError.Code> = [
    .timedOut, .cannotResolveHost, .cannotConnect, .connectionLost,
  ]

  /// Creates the default policy.
  public init() {}

  /// Returns the default policy with this number of attempts.
  public static func attempts(_ count: Int) -> RetryPolicy {
    var policy = RetryPolicy()
    policy.maxAttempts = count
    return policy
  }

  /// The policy that makes one attempt only.
  public static let never = attempts(1)
}
