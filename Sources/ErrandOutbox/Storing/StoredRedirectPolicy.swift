import ErrandCore

/// Where a request's redirects may lead, as it is kept.
struct StoredRedirectPolicy: Sendable, Hashable, Codable {
  var limit: Int
  var allowsDowngrade: Bool
  var allowsOtherOrigins: Bool
  var allowsChangeOfMethod: Bool

  init(_ policy: RedirectPolicy) {
    limit = policy.limit
    allowsDowngrade = policy.allowsDowngrade
    allowsOtherOrigins = policy.allowsOtherOrigins
    allowsChangeOfMethod = policy.allowsChangeOfMethod
  }

  /// The policy again.
  var policy: RedirectPolicy {
    var policy = RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade)
    policy.allowsOtherOrigins = allowsOtherOrigins
    policy.allowsChangeOfMethod = allowsChangeOfMethod
    return policy
  }
}
