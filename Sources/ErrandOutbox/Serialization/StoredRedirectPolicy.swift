import ErrandCore

/// The stored form of a redirect policy.
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

  /// The policy that was stored.
  var policy: RedirectPolicy {
    var policy = RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade)
    policy.allowsOtherOrigins = allowsOtherOrigins
    policy.allowsChangeOfMethod = allowsChangeOfMethod
    return policy
  }
}
