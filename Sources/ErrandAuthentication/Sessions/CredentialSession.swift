public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One identity's credential: it signs in and out, and `Authentication` gives it to a client.
///
/// ```swift
/// let session = CredentialSession(
///   OAuth2(tokenURL: tokenURL, clientID: "app"), store: .file(file))
/// configuration.authentication = Authentication(session)
/// …
/// try await session.signIn(OAuth2.Tokens(accessToken: "…", refreshToken: "…"), identity: "ann")
/// ```
///
/// Several clients may use one session: the credential is refreshed once for all of them.
public final class CredentialSession<Scheme: Authenticator>: AnyCredentialSession {
  typealias Rules = AuthenticationState<Scheme.Credential>
  typealias Issued = Rules.Issued

  struct State {
    var rules: Rules
    var owner: CredentialIdentity
    /// False until the store has been read.
    var isOwnerKnown: Bool
    /// The read of the store that is under way.
    var looking: Promise<Void>?
    /// The newest revision of the store that this process has taken, or written.
    var revision = 0
    /// True while this process signs out. A read of the store that began before is then out of date.
    var isSigningOut = false
    /// See `CallIdentity.era`.
    var era = 0
    /// The outcome of the renewal under way, for the requests that wait for it.
    var waiting = Promise<Issued>()
    /// The renewals that have not ended, also those that a sign-in or a sign-out has overtaken, with the credentials
    /// that they bring; nil if they bring none.
    var renewals: [Int: Promise<Scheme.Credential?>] = [:]
    var calls = Slab<CancellationToken>()
    var listeners = Slab<@Sendable () -> Void>()
    /// They remove the cached responses of an identity.
    var clearers = Slab<@Sendable (String) async throws -> Void>()

    /// The effects of a sign-in or a sign-out.
    struct Change {
      /// True if the identity is the same as before.
      var isSame = true
      /// The calls that end with the previous identity.
      var calls: [CancellationToken] = []
      /// The listeners to sign-ins.
      var listeners: [@Sendable () -> Void] = []
    }

    /// Takes an identity, and ends the previous one if it differs. Another process may have signed in another
    /// identity, and the calls of this process are not sent for that.
    /// - Parameters:
    ///   - owner: Nil if the identity stays the same.
    ///   - revision: The revision in which the store names it; nil without a store.
    mutating func take(_ owner: CredentialIdentity?, revision: Int? = nil) -> Change {
      self.revision = max(self.revision, revision ?? 0)
      var change = Change(isSame: !rules.isSignedOut)
      if let owner {
        change.isSame = change.isSame && (!isOwnerKnown || ASCII.areSame(self.owner.text, owner.text))
        (self.owner, isOwnerKnown) = (owner, true)
      }
      if !change.isSame {
        era += 1
        change.calls = calls.newestFirst
      }
      return change
    }
  }

  /// The longest time that a refresh may take.
  static var refreshDeadline: Duration { .seconds(30) }

  let method: Scheme
  /// True if the credential changes header fields only, because a redirect removes those.
  private let addsFieldsOnly: Bool
  let vault: CredentialVault<Scheme.Credential>?
  let state: Locked<State>
  /// The timeline of the client that used the session first. Clients' timelines begin at different times.
  private let timeline = Locked<Timeline?>(nil)

  init(
    _ method: Scheme, _ credential: Scheme.Credential?, of owner: CredentialIdentity,
    vault: CredentialVault<Scheme.Credential>? = nil
  ) {
    self.method = method
    addsFieldsOnly = method is FixedField || method is OAuth2
    self.vault = vault
    state = Locked(State(rules: Rules(credential), owner: owner, isOwnerKnown: vault == nil))
  }

  /// Creates a session that keeps its credential in memory.
  /// - Parameters:
  ///   - authenticator: Adds the credential to requests, and refreshes it.
  ///   - credential: The first credential; nil if the first request must obtain it by a refresh. Default:
  ///     nil.
  ///   - identity: A name for the identity, such as the user's ID at the server. Use the same name at each
  ///     sign-in. It is not a secret. Responses that are cached on disk, and requests that an outbox keeps,
  ///     are for this identity alone. Default: nil, so that an outbox does not tell it from others without a
  ///     name.
  public convenience init(
    _ authenticator: Scheme, credential: Scheme.Credential? = nil, identity: String? = nil
  ) {
    let owner = identity.map(CredentialIdentity.init(named:)) ?? CredentialIdentity()
    self.init(authenticator, credential, of: owner)
  }

  /// Creates a session that keeps its credential in a store.
  /// - Parameters:
  ///   - authenticator: Adds the credential to requests, and refreshes it.
  ///   - store: Keeps the credential for the next start and for other processes.
  public convenience init(_ authenticator: Scheme, store: some CredentialStore)
  where Scheme.Credential: Codable {
    let kind = (authenticator as? OAuth2)?.kind as? CredentialKind<Scheme.Credential>
    let vault = CredentialVault<Scheme.Credential>(
      store, kind ?? CredentialKind(), encode: { try JSONEncoder().encode($0) },
      decode: { try JSONDecoder().decode(Scheme.Credential.self, from: $0) })
    self.init(authenticator, nil, of: CredentialIdentity(), vault: vault)
  }

  package var mayWait: Bool { !method.authenticatesAtOnce }

  package var identity: CallIdentity {
    // Without a credential, a request shares no response with requests that have one.
    state.withLock { CallIdentity(owner: $0.rules.isSignedOut ? "" : $0.owner.text, era: $0.era) }
  }

  /// Returns the time on the session's timeline, whichever client asks.
  /// - Parameter timeline: The client's timeline.
  func now(on timeline: Timeline) -> Duration {
    let first = self.timeline.withLock { first in
      first = first ?? timeline
      return first
    }
    return (first ?? timeline).now()
  }

  package var hasKnownIdentity: Bool { state.withLock { $0.isOwnerKnown && !$0.rules.isSignedOut } }

  // MARK: Requests

  package func perform(_ request: Request, _ call: CredentialCall) async throws -> Response {
    let sender = call.sender
    // A request that a refresh sends would wait for the same refresh.
    guard !CredentialRenewal.isUnderWay(self) else { return try await call.send(request) }
    // Since the last attempt, another process may have signed out, or signed another user in.
    if !isPrepared(on: sender.timeline) {
      // If the store cannot be read, the refresh reports that.
      try? await prepare(on: sender.timeline, unless: call.cancellation)
      try call.cancellation.check()
    }
    var issued = try await issued(call)
    var (sends, isRenewed) = (0, false)
    while true {
      let (sent, current) = (self.now(on: sender.timeline), issued)
      guard let place = try enter(request, call.cancellation, current, call.era) else {
        issued = try await self.issued(call)
        continue
      }
      let reply: CredentialReply
      do {
        let trail = call.origins.areSeveral || !addsFieldsOnly ? CredentialTrail() : nil
        let sent = try await attached(request, with: current.credential, trail, call)
        reply = await CredentialReply(to: sent, trail) { try await call.send(sent) }
      } catch {
        leave(place)
        throw error
      }
      guard let head = reply.head, method.isStale(current.credential, head) else {
        leave(place, after: reply, to: request, with: current)
        return try reply.outcome.get()
      }
      let now = self.now(on: sender.timeline)
      sends += 1
      let decision = decide { [sends, isRenewed] rules in
        if sends == RefusalRecord.limit { return .respond }
        return isRenewed
          ? rules.staleAgain(current.generation, of: request.resource, sent: sent, at: now)
          : rules.stale(current.generation, of: request.resource, sent: sent, at: now)
      }
      switch decision.step {
      case .respond:
        leave(place, after: reply)
        return try reply.outcome.get()
      case .use: break
      default: isRenewed = true
      }
      // A request that waits for a refresh is not on the wire. It ends with the outcome of the refresh, not
      // with a cancellation.
      leave(place)
      await reply.drop()
      issued = try await self.issued(decision, head, call)
      guard request.body.isReplayable else { throw CredentialReply.notReplayable(head) }
    }
  }

  /// Returns the request with the credential. If the request is led to another origin, a credential is made
  /// for that.
  /// - Parameter trail: Records the origins that are sent the credential.
  private func attached(
    _ request: Request, with credential: Scheme.Credential, _ trail: CredentialTrail?, _ call: CredentialCall
  ) async throws -> Request {
    var sent = try await authenticated(request, with: credential, call)
    guard call.origins.contains(sent.originName) else { throw Self.ledAway(sent) }
    guard let trail else { return sent }
    trail.add(sent.originName)
    sent.options.credential = AttachedCredential(request, sent, at: call.origins.names) { [self] request in
      try await attached(request, with: credential, trail, call)
    }
    return sent
  }

  private static func ledAway(_ request: Request) -> RequestError {
    RequestError(
      .invalidRequest,
      message:
        "the authenticator has changed the request's origin to \(request.originName), and the credential "
        + "is not for that: change the URL before, in an interceptor around the call", reachedServer: false)
  }

  private func authenticated(
    _ request: Request, with credential: Scheme.Credential, _ call: CredentialCall
  ) async throws -> Request {
    if method.authenticatesAtOnce { return try await method.authenticate(request, with: credential) }
    return try await call.runInterruptibly { [method] in
      try await method.authenticate(request, with: credential)
    }
  }

  /// Registers a request on the wire. Returns nil if its credential is no longer the current one.
  /// - Throws: `RequestError`, if the request is for another identity.
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

  /// Removes the request when its response has ended.
  /// - Parameter issued: The credential, if a server has accepted it.
  private func leave(
    _ place: Slab<CancellationToken>.Token, after reply: CredentialReply, to request: Request? = nil,
    with issued: Issued? = nil
  ) {
    let stream = reply.stream
    // A server error says nothing about the credential, and a fixed credential is never renewed.
    let isAccepted = reply.head.map { $0.status.code < 500 } ?? false
    let resource = isAccepted && !(method is FixedField) ? request?.resource : nil
    state.withLock { state in
      if stream == nil { _ = state.calls.remove(place) }
      if let issued, let resource { state.rules.accepted(issued.generation, by: resource) }
    }
    stream?.onEnd { self.leave(place) }
  }
}

extension CredentialSession: CustomStringConvertible, CustomReflectable {
  /// The kind of credential, without the credential.
  public var description: String { "a session of \(Scheme.self)" }
  public var customMirror: Mirror { Mirror(self, children: ["session": description]) }
}
