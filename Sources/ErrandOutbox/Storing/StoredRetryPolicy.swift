import ErrandCore

/// A request's own table of retries, as it is kept.
struct StoredRetryPolicy: Sendable, Hashable, Codable {
  var maxTries: Int
  var methods: [String]
  var statuses: [Int]
  var failures: [String]
  /// Nanoseconds, as the two that follow.
  var backoff: Int64
  var maxBackoff: Int64
  var maxRetryAfter: Int64

  init(_ policy: RetryPolicy) {
    maxTries = policy.maxTries
    // Sorted, so that the same request is the same bytes.
    methods = policy.methods.map(\.rawValue).sorted()
    statuses = policy.statuses.sorted()
    failures = policy.failures.map(\.rawValue).sorted()
    backoff = policy.backoff.wholeNanoseconds
    maxBackoff = policy.maxBackoff.wholeNanoseconds
    maxRetryAfter = policy.maxRetryAfter.wholeNanoseconds
  }

  /// The policy again.
  var policy: RetryPolicy {
    var policy = RetryPolicy()
    policy.maxTries = maxTries
    policy.methods = Set(methods.map(Method.init(rawValue:)))
    policy.statuses = Set(statuses)
    policy.failures = Set(failures.map(RequestError.Code.init(rawValue:)))
    policy.backoff = .nanoseconds(backoff)
    policy.maxBackoff = .nanoseconds(maxBackoff)
    policy.maxRetryAfter = .nanoseconds(maxRetryAfter)
    return policy
  }
}
