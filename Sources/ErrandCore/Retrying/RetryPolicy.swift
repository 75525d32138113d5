/// Which failures are tried again, how often and when: a table, not a constant.
///
/// A request whose method is idempotent, or that carries an `Idempotency-Key`, is tried again after any failure in the
/// table. Any other (POST, PATCH) only if certainly nothing reached the server.
public struct RetryPolicy: Sendable, Hashable {
  /// How many tries there are, with the first. Default: 3.
  public var maxTries = 3
  /// Methods that may be tried again even if the server may have seen them. Default: the idempotent ones.
  public var methods: Set<Method> = [.get, .head, .put, .delete, .options, .trace]
  /// Statuses of refused answers that are tried again.
  public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
  /// Failures that are tried again.
  public var failures: Set<RequestError.Code> = [
    .timedOut, .cannotResolveHost, .cannotConnect, .connectionLost,
  ]
  /// The wait before try n+1 is random between zero and `backoff · 2ⁿ⁻¹` (full jitter). Default: 0.5 s.
  public var backoff: Duration = .milliseconds(500)
  /// No wait is longer than this. Default: 20 s.
  public var maxBackoff: Duration = .seconds(20)
  /// The longest `Retry-After` that is waited for; a longer one is cut to this. Default: 60 s.
  public var maxRetryAfter: Duration = .seconds(60)

  public init() {}

  /// The default table, with so many tries.
  public static func tries(_ count: Int) -> RetryPolicy {
    var policy = RetryPolicy()
    policy.maxTries = count
    return policy
  }

  /// One try.
  public static let never = tries(1)
}
