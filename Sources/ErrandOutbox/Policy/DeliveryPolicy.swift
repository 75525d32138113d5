public import ErrandCore

/// How an outbox tries, and what it takes for delivered.
public struct DeliveryPolicy: Sendable {
  /// The wait after the n-th try is random between zero and `backoff · 2ⁿ⁻¹` (full jitter). Default: 1 s.
  public var backoff: Duration = .seconds(1)
  /// No such wait is longer. Default: 1 h.
  public var maxBackoff: Duration = .seconds(3600)
  /// The longest `Retry-After` that is waited for; a longer one is cut to this. Default: 24 h.
  public var maxRetryAfter: Duration = .seconds(86_400)
  /// It is set aside after so many tries that reached a server, or of which nobody knows how they ended: also if each of them
  /// has ended its process. Those that found no way there do not count, nor those whose credentials were refused. Nil for no
  /// limit. Default: 100.
  public var maxTries: Int? = 100
  /// What 401 and 403 mean. True: the credentials are wrong, so nothing more is sent to that origin until it is resumed by hand
  /// (`Outbox.resume(origin:)`) or a single request, sent after a growing time, gets through. A request that is refused again
  /// though others were accepted since is set aside. False: the request is set aside. Default: true.
  public var pausesUnauthorized = true
  /// Decides what a try means. Default: `Verdict.standard`.
  public var judge: @Sendable (DeliveryTry) -> Verdict = Verdict.standard
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
