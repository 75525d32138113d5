/// Decides for one call what to deliver: the cached response, the network's outcome, or both. Pure: its
/// methods take the age of the cached response and the outcome of the network, and return the next step.
struct CacheState: Sendable {
  enum Step: Sendable, Hashable {
    /// Look up the cached response, then call `found`.
    case read
    /// Ask the network: cache and deliver its response, or call `failed`.
    case ask
    /// Deliver the cached response, and end.
    case deliverCached
    /// Deliver the cached response, and ask the network meanwhile.
    case deliverCachedAndAsk
    /// Deliver the network's error.
    case fail
  }

  private let policy: CachePolicy
  private var hasFailed = false

  init(_ policy: CachePolicy) { self.policy = policy }

  func begin() -> Step {
    switch policy.kind {
    case .networkOnly, .staleIfError: .ask
    case .first, .staleWhileRevalidate, .maxAge: .read
    }
  }

  /// Decides after the look-up.
  /// - Parameter age: The age of the cached response, negative if it is dated in the future; nil if nothing
  ///   is cached.
  func found(age: Duration?) -> Step {
    guard let age else { return hasFailed ? .fail : .ask }
    return switch policy.kind {
    case .networkOnly: .ask
    case .first, .staleIfError: .deliverCached
    case .staleWhileRevalidate: .deliverCachedAndAsk
    case .maxAge(let limit): age >= .zero && age < limit ? .deliverCached : .ask
    }
  }

  mutating func failed(_ error: any Error) -> Step {
    hasFailed = true
    return policy.kind == .staleIfError && error.isServerOutOfReach ? .read : .fail
  }
}

extension CacheDecision {
  /// Creates the decision that an event reports.
  /// - Parameters:
  ///   - step: The step after the look-up.
  ///   - age: The age of the cached response; nil if nothing is cached.
  init(_ step: CacheState.Step, age: Duration?) {
    self =
      switch (step, age) {
      case (.deliverCached, let age?): .hit(age)
      case (.deliverCachedAndAsk, let age?): .hitAndRenew(age)
      case (_, let age?): .stale(age)
      case (_, nil): .missing
      }
  }
}

extension Error {
  /// True if the server could not be reached in time, or was in trouble, so that an older response is better
  /// than none. False for local faults, cancellations, and the server's genuine responses.
  var isServerOutOfReach: Bool {
    guard let error = self as? RequestError else { return false }
    if case .status(let status, _) = error.rejection {
      return status.isServerError || [408, 425, 429].contains(status.code)
    }
    return switch error.code {
    case .timedOut, .deadlineExceeded, .cannotResolveHost, .cannotConnect, .connectionLost: true
    // A captive portal's login page causes these, too.
    case .tlsFailed, .untrustedCertificate, .invalidResponse, .badEncoding: true
    default: false
    }
  }
}
