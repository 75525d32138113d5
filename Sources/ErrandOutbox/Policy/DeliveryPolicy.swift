public import ErrandCore

/// How an outbox attempts a request, and which response counts as delivered.
public struct DeliveryPolicy: Sendable {
  /// The wait after the n-th attempt is random between zero and `backoff · 2ⁿ⁻¹` (full jitter). Default: 1 s.
  public var backoff: Duration = .seconds(1)
  /// The longest of these waits. Default: 1 h.
  public var maxBackoff: Duration = .seconds(3600)
  /// The longest `Retry-After` that is honoured; a longer one is cut to this. Default: 24 h.
  public var maxRetryAfter: Duration = .seconds(86_400)
  /// The number of attempts after which a request is moved to the dead letters. An attempt counts if it
  /// reached a server, or if its end is unknown, as when it ended its process. Attempts that could not
  /// connect do not count, nor those whose credentials were refused. Nil for no limit. Default: 100.
  public var maxAttempts: Int? = 100
  /// How 401 and 403 are handled. True: the credentials are wrong, so nothing more is sent to that origin
  /// until it is resumed by hand (`Outbox.resume(origin:)`) or a single request, sent after a growing time,
  /// gets through. A request that is refused again though others were accepted since is moved to the dead
  /// letters. False: the request is moved to the dead letters. Default: true.
  public var pausesUnauthorized = true
  /// Decides what an attempt means. Default: `DeliveryDecision.standard`.
  public var classify: @Sendable (DeliveryAttempt) -> DeliveryDecision = DeliveryDecision.standard
  /// Where redirects of stored requests may lead. Default: to the same origin only, with the same method.
  public var redirects = DeliveryPolicy.sameRequest

  public init() {}

  private static var sameRequest: RedirectPolicy {
    var policy = RedirectPolicy()
    policy.allowsOtherOrigins = false
    policy.allowsChangeOfMethod = false
    return policy
  }
}
