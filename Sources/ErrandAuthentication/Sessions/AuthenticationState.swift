import ErrandCore

/// The rules for using, renewing and giving up one identity's credential. Pure.
///
/// Each change of the credential begins a new generation. A response that says that a credential is stale
/// counts only for the generation that its request was sent with. Only one renewal is under way at a time. A
/// renewal that ends after a sign-in or a sign-out is ignored.
///
/// A renewal helps if the server accepts the request that is sent again with the new credential. Renewals
/// that do not help are limited (`RefusalRecord`). Otherwise, a server that finds each new credential stale
/// would cause endless renewals.
struct AuthenticationState<Credential: Sendable>: Sendable {
  /// A credential, and the generation that it belongs to.
  struct Issued: Sendable {
    let credential: Credential
    let generation: Int
  }

  /// A renewal that is under way: a refresh, or the first read of the store.
  struct Renewal: Sendable {
    let number: Int
    /// The credential to replace; nil if none has been obtained yet.
    let old: Issued?
  }

  enum Step: Sendable {
    case use(Issued)
    /// The caller waits for the renewal with this number, which is under way.
    case wait(Int)
    /// The caller begins this renewal, and waits for it.
    case renew(Renewal)
    case fail(RequestError)
    /// No renewal would help, so the caller gets the response that found the credential stale.
    case respond
  }

  enum Outcome: Sendable {
    /// - isExpired: True if the new credential seems to have expired already.
    case renewed(Credential, isExpired: Bool = false)
    /// Another process has renewed the credential.
    case found(Credential)
    /// The renewal failed and the credential stays. The next request that needs a new one may renew it.
    case failed(RequestError)
    /// The identity is signed out.
    case final(RequestError)
  }

  private enum Standing: Sendable {
    /// No credential has been obtained yet.
    case none
    case has(Credential)
    case signedOut(RequestError)
  }

  private struct Failure: Sendable {
    let generation: Int
    let at: Duration
    let error: RequestError
  }

  private var standing: Standing
  private(set) var generation = 0
  private var renewal: Int?
  private var lastRenewal = 0
  private var failure: Failure?
  private var refusals = RefusalRecord()
  /// The generation that seemed expired as soon as it was issued; nil if the last one did not.
  private var expiredAtOnce: Int?
  /// The generation that another process has issued, perhaps long ago; nil if this process issued the last
  /// one.
  private var foundGeneration: Int?

  /// - Parameter credential: Nil if the first request must obtain one.
  init(_ credential: Credential?) { standing = credential.map { .has($0) } ?? .none }

  /// The credential; nil if none has been obtained, or its identity is signed out.
  var current: Issued? {
    guard case .has(let credential) = standing else { return nil }
    return Issued(credential: credential, generation: generation)
  }

  var isSignedOut: Bool {
    if case .signedOut = standing { true } else { false }
  }

  /// Decides how to treat a request that is about to be sent.
  /// - Parameter expired: The generation whose credential is known to have expired; nil if none has.
  mutating func begin(at now: Duration, expired: Int? = nil) -> Step {
    switch standing {
    case .signedOut(let error): return .fail(error)
    case .none: return renewed(nil, sent: now, at: now)
    case .has(let credential):
      let issued = Issued(credential: credential, generation: generation)
      // If a credential seems expired as soon as it is issued, the clock is wrong or the server issues
      // short-lived ones. The server then decides.
      guard generation == expired, expiredAtOnce != generation else { return .use(issued) }
      if renewal == nil, failure == nil, !refusals.allowRenewal(at: now) { return .use(issued) }
      return renewed(issued, sent: now, at: now)
    }
  }

  /// Decides how to treat a request whose credential a server found stale.
  /// - Parameters:
  ///   - sent: When the request was sent.
  ///   - resource: The hash of the method and the URL of the request: see `RefusalRecord`.
  mutating func stale(_ generation: Int, of resource: Int, sent: Duration, at now: Duration) -> Step {
    switch standing {
    case .signedOut(let error): return .fail(error)
    case .none: return renewed(nil, sent: sent, at: now)
    case .has(let credential):
      let issued = Issued(credential: credential, generation: self.generation)
      if generation < self.generation { return .use(issued) }
      if refusals.isRefusing(resource, at: now) { return .respond }
      // Other resources accept the credential, so a renewal would not help with this one.
      if renewal == nil, failure == nil, !refusals.allowRenewal(at: now),
        refusals.isAccepted(generation)
      {
        return .respond
      }
      return renewed(issued, sent: sent, at: now)
    }
  }

  private mutating func renewed(_ old: Issued?, sent: Duration, at now: Duration) -> Step {
    if let renewal { return .wait(renewal) }
    // A failure applies to each request that was sent before it.
    if let failure, failure.generation == generation, sent < failure.at { return .fail(failure.error) }
    guard refusals.allowRenewal(at: now) else { return .fail(refusals.error(after: failure?.error)) }
    lastRenewal += 1
    renewal = lastRenewal
    return .renew(Renewal(number: lastRenewal, old: old))
  }

  /// Notes that a server accepted a request with the credential.
  mutating func accepted(_ generation: Int, by resource: Int) {
    refusals.accepted(generation, by: resource)
  }

  /// Decides how to treat a request that was found stale again with a renewed credential. Counts a renewal
  /// that has not helped.
  mutating func staleAgain(_ generation: Int, of resource: Int, sent: Duration, at now: Duration) -> Step {
    let isNew = generation == self.generation && generation != foundGeneration
    guard isNew, !refusals.hasAccepted(generation, by: resource) else {
      return stale(generation, of: resource, sent: sent, at: now)
    }
    refusals.refused(generation, by: resource, at: now)
    return .respond
  }

  /// Handles the outcome of a renewal.
  /// - Returns: The result for the requests that wait; nil if the renewal is ignored.
  mutating func ended(_ number: Int, _ outcome: Outcome, at now: Duration) -> Result<Issued, RequestError>? {
    guard renewal == number else { return nil }
    renewal = nil
    switch outcome {
    case .renewed(let credential, let isExpired):
      let issued = replace(credential)
      expiredAtOnce = isExpired ? generation : nil
      return .success(issued)
    case .found(let credential):
      return .success(replace(credential, isFound: true))
    case .failed(let error):
      failure = Failure(generation: generation, at: now, error: error)
      refusals.failed(at: now)
      return .failure(error)
    case .final(let error):
      signOut(error)
      return .failure(error)
    }
  }

  /// Begins a new generation of the same identity. A renewal that is under way is ignored when it ends.
  /// - Parameter isFound: True if another process has issued the credential.
  @discardableResult
  mutating func replace(_ credential: Credential, isFound: Bool = false) -> Issued {
    renewal = nil
    failure = nil
    generation += 1
    foundGeneration = isFound ? generation : nil
    standing = .has(credential)
    return Issued(credential: credential, generation: generation)
  }

  /// Begins a new generation, and forgets earlier refusals. A renewal that is under way is ignored when it
  /// ends.
  @discardableResult
  mutating func signIn(_ credential: Credential) -> Issued {
    refusals = RefusalRecord()
    return replace(credential)
  }

  /// Signs the identity out.
  /// - Parameter error: The outcome of all requests until the next sign-in.
  mutating func signOut(_ error: RequestError) {
    renewal = nil
    failure = nil
    generation += 1
    standing = .signedOut(error)
  }
}
