#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One identity's credential: sign in and out here, and give it to a client with `Authentication`.
///
/// ```swift
/// let session = CredentialSession(
///   OAuth2(tokenURL: tokenURL, clientID: "app"), store: CredentialFile(at: file))
/// configuration.authentication = Authentication(session)
/// …
/// try await session.signIn(OAuth2.Tokens(accessToken: "…", refreshToken: "…"))
/// ```
///
/// Several clients may use one session: the credential is refreshed once for all of them.
public final class CredentialSession<Method: Authenticator>: AnyCredentialSession {
  typealias Rules = AuthenticationState<Method.Credential>
  typealias Issued = Rules.Issued

  struct State {
    var rules: Rules
    var owner: CredentialIdentity
    /// False until the store has been read.
    var isOwnerKnown: Bool
    /// The reading of the store that is under way.
    var loading: Promise<Void>?
    /// See `CallIdentity.era`.
    var era = 0
    /// Those that wait for the renewal under way.
    var waiting = Promise<Issued>()
    var calls = Slab<CancellationToken>()
    var listeners = Slab<@Sendable () -> Void>()
    /// Remove cached responses.
    var clearers = Slab<@Sendable (String) async throws -> Void>()

    /// Takes the identity that a store names, and the end of the one before.
    /// - Returns: The calls that end with it; nil if it goes on.
    mutating func take(_ owner: CredentialIdentity?) -> [CancellationToken]? {
      // Another process may have signed another identity in. The calls of this process are not sent for it.
      var isSame = !rules.isSignedOut
      if let owner {
        isSame = isSame && (!isOwnerKnown || self.owner.text == owner.text)
        (self.owner, isOwnerKnown) = (owner, true)
      }
      if isSame { return nil }
      era += 1
      return calls.newestFirst
    }
  }

  /// The time that a refresh may take.
  static var refreshDeadline: Duration { .seconds(30) }

  let method: Method
  let vault: CredentialVault<Method.Credential>?
  let state: Locked<State>

  init(
    _ method: Method, _ credential: Method.Credential?, of owner: CredentialIdentity,
    vault: CredentialVault<Method.Credential>? = nil
  ) {
    self.method = method
    self.vault = vault
    state = Locked(State(rules: Rules(credential), owner: owner, isOwnerKnown: vault == nil))
  }

  /// - Parameters:
  ///   - credential: The credential to begin with; nil if the first request has it refreshed.
  ///   - identity: A name for the identity, such as the user's ID at the server: the same each time that it signs in.
  ///     It is no secret. Responses that are cached on disk, and requests that an outbox keeps, are for this identity
  ///     alone. Default: none, so that an outbox does not tell it from others without a name.
  public convenience init(
    _ authenticator: Method, credential: Method.Credential? = nil, identity: String? = nil
  ) {
    let owner = identity.map(CredentialIdentity.init(named:)) ?? CredentialIdentity()
    self.init(authenticator, credential, of: owner)
  }

  /// - Parameter store: Keeps the credential for the next start and for other processes.
  public convenience init(_ authenticator: Method, store: some CredentialStore)
  where Method.Credential: Codable {
    let vault = CredentialVault<Method.Credential>(
      store, encode: { try JSONEncoder().encode($0) },
      decode: { try JSONDecoder().decode(Method.Credential.self, from: $0) })
    self.init(authenticator, nil, of: CredentialIdentity(), vault: vault)
  }

  var mayWait: Bool { !method.authenticatesAtOnce }

  var identity: CallIdentity {
    // Without a credential, a request shares no response with those that have one.
    state.withLock { CallIdentity(owner: $0.rules.isSignedOut ? "" : $0.owner.text, era: $0.era) }
  }

  var isPrepared: Bool { vault == nil || state.withLock { $0.isOwnerKnown } }

  func prepare() async {
    guard let vault else { return }
    let (loading, isFirst) = state.withLock { state -> (Promise<Void>?, Bool) in
      if state.isOwnerKnown { return (nil, false) }
      if let loading = state.loading { return (loading, false) }
      let loading = Promise<Void>()
      state.loading = loading
      return (loading, true)
    }
    if isFirst {
      // In a task of its own: the calls that wait for it may be cancelled.
      Task { [self] in
        let owner = try? await vault.owner()
        let loading = state.withLock { state in
          if let owner, !state.isOwnerKnown { (state.owner, state.isOwnerKnown) = (owner, true) }
          defer { state.loading = nil }
          return state.loading
        }
        loading?.settle(.success(()))
      }
    }
    _ = try? await loading?.value()
  }

  func identityDigest() async throws -> String? {
    let (owner, isKnown) = state.withLock { ($0.rules.isSignedOut ? nil : $0.owner, $0.isOwnerKnown) }
    if let vault, owner != nil, !isKnown { return try await vault.owner()?.digest }
    return owner?.digest
  }

  // MARK: Requests

  func perform(
    _ request: Request, _ context: CallContext, era: Int, _ next: NextStage, _ sender: CredentialSender
  ) async throws -> Response {
    // A request that a refresh sends would wait for that refresh.
    guard !CredentialRenewal.isUnderWay(self) else { return try await next(request, context) }
    let timeline = sender.timeline
    var issued = try await issued(context, sender)
    var isReplay = false
    while true {
      let (sent, current) = (timeline.now(), issued)
      guard let place = try enter(request, context.cancellation, current, era) else {
        issued = try await self.issued(context, sender)
        continue
      }
      let reply: CredentialReply
      do {
        let sent = try await authenticated(request, with: current.credential, context)
        reply = await CredentialReply(to: sent) { try await next(sent, context) }
      } catch {
        leave(place)
        throw error
      }
      guard let stale = reply.head, !isReplay, method.isStale(current.credential, stale) else {
        if let stream = reply.stream { stream.onEnd { self.leave(place) } } else { leave(place) }
        return try reply.outcome.get()
      }
      // A request that waits for a refresh is not on the wire: its outcome is the refresh's, and no cancellation.
      leave(place)
      await reply.drop()
      let now = timeline.now()
      issued = try await self.issued(stale, context, sender) { rules in
        rules.stale(current.generation, sent: sent, at: now)
      }
      guard request.body.isReplayable else { throw CredentialReply.notReplayable(stale) }
      isReplay = true
    }
  }

  /// Runs the authenticator as interceptors are run: it may wait for anything, so it runs in a task that can be
  /// cancelled.
  private func authenticated(
    _ request: Request, with credential: Method.Credential, _ context: CallContext
  ) async throws -> Request {
    if method.authenticatesAtOnce { return try await method.authenticate(request, with: credential) }
    context.watch?.take()
    defer { context.watch?.handOn() }
    let nested = try NestedCall()
    return try await context.cancellation.interrupting { [method] in
      try await nested.run { try await method.authenticate(request, with: credential) }
    }
  }

  /// Registers a request on the wire; nil if its credential is no longer the one to use.
  /// - Throws: `RequestError`, if the request is not for the identity whose credential it is.
  private func enter(
    _ request: Request, _ cancellation: CancellationToken, _ issued: Issued, _ era: Int
  ) throws(RequestError) -> Slab<CancellationToken>.Token? {
    let entry = state.withLock { state -> Result<Slab<CancellationToken>.Token?, RequestError> in
      guard state.era == era else {
        return .failure(CancellationToken.Cause.cancelled(.signedOut).error(reachedServer: false))
      }
      guard state.rules.current?.generation == issued.generation else { return .success(nil) }
      return Result { () throws(RequestError) in
        try state.owner.check(request)
        return state.calls.insert(cancellation)
      }
    }
    return try entry.get()
  }

  private func leave(_ place: Slab<CancellationToken>.Token) {
    state.withLock { _ = $0.calls.remove(place) }
  }
}

extension CredentialSession: CustomStringConvertible, CustomReflectable {
  /// The kind of credential. Shows nothing of it.
  public var description: String { "a session of \(Method.self)" }
  public var customMirror: Mirror { Mirror(self, children: ["session": description]) }
}
