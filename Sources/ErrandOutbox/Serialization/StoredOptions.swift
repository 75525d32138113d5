import ErrandCore

/// The options of a request that survive the process; nil for options that were not set. Retries are not
/// stored, because they apply to one call, and an outbox has its own policy.
///
/// Of the other options, only this process shows `activity`. If forgetting an option would change the
/// request, a request with that option is refused (`Request.checkStorable`).
struct StoredOptions: Sendable, Hashable, Codable {
  /// Nanoseconds.
  var timeout: Int64?
  /// Nanoseconds.
  var connectTimeout: Int64?
  /// Nanoseconds, of one attempt.
  var deadline: Int64?
  /// The bounds of the ranges of accepted statuses: the first of each, and the one after its last.
  var statuses: [Int]?
  var contentTypes: [String]?
  var requiresBody: Bool?
  var memoryLimit: Int?
  var compressesBody: Bool?
  var httpVersion: String?
  var redirects: StoredRedirectPolicy?
  var priority: UInt8?
  var isUnauthenticated: Bool?
  var isUnsigned: Bool?
  /// The digest of the name of the identity that the request may be sent for; nil for any identity.
  var identity: String?
  /// The key of the outbox's item.
  var key: String?
  /// The `traceparent` and the `tracestate` of the span in which the request was stored.
  var trace: [String]?
  /// How the upload of the body is resumed; nil if it is not.
  var resumption: StoredResumption?

  /// The options of a request that sets none.
  static let none = StoredOptions(RequestOptions())

  init(_ options: RequestOptions, key: String? = nil) {
    self.key = key
    let usual = RequestOptions()
    timeout = options.timeout?.wholeNanoseconds
    connectTimeout = options.connectTimeout?.wholeNanoseconds
    deadline = options.deadline?.wholeNanoseconds
    let validator = options.validator
    if validator.statuses != usual.validator.statuses {
      statuses = validator.statuses.bounds
    }
    contentTypes = validator.contentTypes
    if validator.requiresBody { requiresBody = true }
    memoryLimit = options.memoryLimit
    if options.compressesBody { compressesBody = true }
    if options.httpVersion != usual.httpVersion { httpVersion = options.httpVersion.rawValue }
    redirects = options.redirects.map(StoredRedirectPolicy.init)
    if options.priority != usual.priority { priority = options.priority.rawValue }
    if options.isUnauthenticated { isUnauthenticated = true }
    if options.isUnsigned { isUnsigned = true }
    identity = options.identityDigest
    trace = options.trace.map { [$0.traceparent, $0.state] }
  }

  /// True if the server may keep the upload of the body at another origin. The server names the upload's URL itself, and
  /// that is not a redirect, but the request's own policy may forbid it.
  var uploadMayChangeOrigin: Bool { redirects?.allowsOtherOrigins ?? true }

  /// The options; nil if the values are not valid.
  var options: RequestOptions? {
    var options = RequestOptions()
    options.timeout = timeout.map(Duration.nanoseconds)
    options.deadline = deadline.map(Duration.nanoseconds)
    if let connectTimeout { options.connectTimeout = .nanoseconds(connectTimeout) }
    if let statuses {
      guard let statuses = AcceptedStatuses(bounds: statuses) else { return nil }
      options.validator.statuses = statuses
    }
    options.validator.contentTypes = contentTypes
    options.validator.requiresBody = requiresBody ?? false
    options.memoryLimit = memoryLimit
    options.compressesBody = compressesBody ?? false
    if let httpVersion {
      guard let version = HTTPVersionPreference(rawValue: httpVersion) else { return nil }
      options.httpVersion = version
    }
    options.redirects = redirects?.policy
    if let priority {
      guard let priority = Priority(rawValue: priority) else { return nil }
      options.priority = priority
    }
    options.isUnauthenticated = isUnauthenticated ?? false
    options.isUnsigned = isUnsigned ?? false
    if let trace { options.trace = TraceContext(traceparent: trace.first ?? "", tracestate: trace.last) }
    if let identity { options.identityDigest = identity }
    if let resumption, resumption.resumption == nil { return nil }
    return options
  }
}

extension Duration {
  /// The nanoseconds, clamped to the range of `Int64`: 292 years.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooMuch else { return seconds < 0 ? .min : .max }
    let (sum, isOver) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isOver ? (seconds < 0 ? .min : .max) : sum
  }
}

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
