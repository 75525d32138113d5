// A struct, so that policies can be added: HTTP's caching rules (RFC 9111: max-age, validators, Vary) will be
// one of them.
/// How a request uses its cached response. Under every policy, a response from the network is cached.
public struct CachePolicy: Sendable, Hashable, CustomStringConvertible {
  enum Kind: Sendable, Hashable {
    case networkOnly
    case first
    case staleWhileRevalidate
    case staleIfError
    case maxAge(Duration)
  }

  let kind: Kind

  /// Always asks the network. The cached response is for requests with other policies.
  public static let networkOnly = CachePolicy(kind: .networkOnly)
  /// Returns the cached response, however old, and asks the network only if the cache has none.
  public static let first = CachePolicy(kind: .first)
  /// Delivers the cached response at once, and then the network's outcome: a response or an error. A call that
  /// returns one response returns the cached one, and renews it in the background.
  public static let staleWhileRevalidate = CachePolicy(kind: .staleWhileRevalidate)
  /// Asks the network first. Returns the cached response if the server cannot be reached in time or is in
  /// trouble: a transport failure, a time-out, the deadline, or the status 408, 425, 429 or 5xx. Any other
  /// error is thrown: a 404 is a response, and a failed certificate pin must not go unnoticed.
  public static let staleIfError = CachePolicy(kind: .staleIfError)
  /// Returns the cached response if it is younger than `age`, and asks the network otherwise. A response
  /// dated in the future, because the clock has been set back, does not count as younger.
  public static func maxAge(_ age: Duration) -> CachePolicy { CachePolicy(kind: .maxAge(age)) }

  public var description: String {
    switch kind {
    case .networkOnly: "network only"
    case .first: "cached first"
    case .staleWhileRevalidate: "cached, then refreshed"
    case .staleIfError: "cached on failure"
    case .maxAge(let age): "cached if younger than \(age.formattedSeconds)"
    }
  }
}

/// Caches a request's response under a name, and says how the cached response is used.
package struct CacheRule: Sendable, Hashable {
  /// The name in the cache key. Two users never share a response, whatever the name. It is written to disk in
  /// plain text, so it should hold no secret.
  package var name: String
  /// How the cached response is used.
  package var policy: CachePolicy

  /// Creates a rule.
  /// - Parameters:
  ///   - name: The name in the cache key, without secrets.
  ///   - policy: How the cached response is used.
  package init(_ name: String, _ policy: CachePolicy) {
    self.name = name
    self.policy = policy
  }

  /// Compares the bytes of the names: two Unicode forms of one letter are different.
  package static func == (left: CacheRule, right: CacheRule) -> Bool {
    left.policy == right.policy && ASCII.areSame(left.name, right.name)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: name)
    hasher.combine(policy)
  }
}

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
