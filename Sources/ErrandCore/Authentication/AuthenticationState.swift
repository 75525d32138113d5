/// The rules by which one identity's credential is used, renewed and given up. Pure.
///
/// Each change of the credential begins a new generation. A response that says that a credential is stale counts
/// only for the generation that its request was sent with; only one renewal is under way at a time, and one that
/// ends after a sign-in or a sign-out counts no more.
struct AuthenticationState<Credential: Sendable>: Sendable {
  /// The most renewals within `window`: a server that finds each new credential stale would be asked without end.
  static var mostRenewals: Int { 5 }
  static var window: Duration { .seconds(30) }

  /// A credential, and the generation that it belongs to.
  struct Issued: Sendable {
    let credential: Credential
    let generation: Int
  }

  /// A renewal that is under way: a refresh, or the first reading of the store.
  struct Renewal: Sendable {
    let number: Int
    /// The credential to be replaced; nil if there is none.
    let old: Issued?
  }

  enum Step: Sendable {
    case use(Issued)
    /// The caller waits for the renewal with this number, which is under way.
    case wait(Int)
    /// The caller begins this renewal, and waits for it.
    case renew(Renewal)
    case fail(RequestError)
  }

  enum Outcome: Sendable {
    case renewed(Credential)
    /// Another process has renewed it: that counts not among the renewals of this one.
    case found(Credential)
    /// The credential stays: the next request that needs another may renew it.
    case failed(RequestError)
    /// The identity is signed out.
    case final(RequestError)
  }

  private enum Standing: Sendable {
    /// Nothing is known yet, or nothing is needed to obtain a credential.
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
  private var begun: [Duration] = []
  private var failure: Failure?

  /// - Parameter credential: Nil if there is none yet: the first request renews it.
  init(_ credential: Credential?) { standing = credential.map { .has($0) } ?? .none }

  /// The credential, unless there is none or its identity is signed out.
  var current: Issued? {
    guard case .has(let credential) = standing else { return nil }
    return Issued(credential: credential, generation: generation)
  }

  var isSignedOut: Bool {
    if case .signedOut = standing { true } else { false }
  }

  /// Decides for a request that is about to be sent.
  /// - Parameter expired: The generation whose credential is known to be of no use any more; nil for none.
  mutating func begin(at now: Duration, expired: Int? = nil) -> Step {
    switch standing {
    case .signedOut(let error): return .fail(error)
    case .none: return renewed(nil, sent: now, at: now)
    case .has(let credential):
      let issued = Issued(credential: credential, generation: generation)
      guard generation == expired else { return .use(issued) }
      // Renewals that succeed and seem expired at once: the clock is wrong, or the server gives out a short life. The
      // server decides then.
      if renewal == nil, failure == nil, !mayRenew(at: now) { return .use(issued) }
      return renewed(issued, sent: now, at: now)
    }
  }

  /// Decides for a request whose credential a server found stale.
  /// - Parameter sent: When the request was sent.
  mutating func stale(_ generation: Int, sent: Duration, at now: Duration) -> Step {
    switch standing {
    case .signedOut(let error): .fail(error)
    case .none: renewed(nil, sent: sent, at: now)
    case .has(let credential):
      if generation < self.generation {
        .use(Issued(credential: credential, generation: self.generation))
      } else {
        renewed(Issued(credential: credential, generation: generation), sent: sent, at: now)
      }
    }
  }

  private mutating func renewed(_ old: Issued?, sent: Duration, at now: Duration) -> Step {
    if let renewal { return .wait(renewal) }
    // A request that was sent before the renewal failed is one of those that it failed for.
    if let failure, failure.generation == generation, sent < failure.at { return .fail(failure.error) }
    guard mayRenew(at: now) else { return .fail(Self.excessive(after: failure?.error)) }
    begun.append(now)
    lastRenewal += 1
    renewal = lastRenewal
    return .renew(Renewal(number: lastRenewal, old: old))
  }

  private mutating func mayRenew(at now: Duration) -> Bool {
    begun.removeAll { now - $0 >= Self.window }
    return begun.count < Self.mostRenewals
  }

  /// Takes the outcome of a renewal.
  /// - Returns: The result for those that wait; nil if the renewal counts no more.
  mutating func ended(_ number: Int, _ outcome: Outcome, at now: Duration) -> Result<Issued, RequestError>? {
    guard renewal == number else { return nil }
    renewal = nil
    switch outcome {
    case .renewed(let credential):
      return .success(signIn(credential))
    case .found(let credential):
      begun.removeLast()
      return .success(signIn(credential))
    case .failed(let error):
      failure = Failure(generation: generation, at: now, error: error)
      return .failure(error)
    case .final(let error):
      signOut(error)
      return .failure(error)
    }
  }

  /// Begins a new generation. A renewal that is under way counts no more.
  @discardableResult
  mutating func signIn(_ credential: Credential) -> Issued {
    renewal = nil
    failure = nil
    generation += 1
    standing = .has(credential)
    return Issued(credential: credential, generation: generation)
  }

  /// - Parameter error: The outcome of all requests until the next sign-in.
  mutating func signOut(_ error: RequestError) {
    renewal = nil
    failure = nil
    generation += 1
    standing = .signedOut(error)
  }

  /// - Parameter failure: The last renewal's; nil if it brought a new credential.
  private static func excessive(after failure: RequestError?) -> RequestError {
    let often = "\(mostRenewals) times within \(window.formattedSeconds)"
    return RequestError(
      .excessiveRefresh,
      message: failure.map { "a refresh was tried \(often), and the next one has to wait: \($0.message)" }
        ?? "the credential was refreshed \(often), and the server found each new one stale: check the clock, and "
        + "what the server expects",
      reachedServer: false, underlying: failure)
  }
}
