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
    var identity: String
    /// Those that wait for the renewal under way.
    var waiting = Promise<Issued>()
    var calls = Slab<CancellationToken>()
    var listeners = Slab<@Sendable () -> Void>()
  }

  /// The time that a refresh may take.
  static var refreshDeadline: Duration { .seconds(30) }

  private let method: Method
  let vault: CredentialVault<Method.Credential>?
  let state: Locked<State>

  private init(
    _ method: Method, _ credential: Method.Credential?, identity: String?,
    vault: CredentialVault<Method.Credential>?
  ) {
    self.method = method
    self.vault = vault
    state = Locked(
      State(
        rules: Rules(credential), identity: identity ?? CredentialIdentity.new()))
  }

  /// - Parameters:
  ///   - credential: The credential to begin with; nil if the first request has it refreshed.
  ///   - identity: A name for the identity, the same at each start if responses are cached on disk. It is no
  ///     secret. Default: a new one.
  public convenience init(
    _ authenticator: Method, credential: Method.Credential? = nil, identity: String? = nil
  ) {
    self.init(authenticator, credential, identity: identity, vault: nil)
  }

  /// - Parameter store: Keeps the credential for the next start and for other processes.
  public convenience init(_ authenticator: Method, store: some CredentialStore)
  where Method.Credential: Codable {
    let vault = CredentialVault<Method.Credential>(
      store, encode: { try JSONEncoder().encode($0) },
      decode: { try JSONDecoder().decode(Method.Credential.self, from: $0) })
    self.init(authenticator, nil, identity: nil, vault: vault)
  }

  var identity: String {
    // Without a credential, a request shares no response with those that have one.
    state.withLock { $0.rules.isSignedOut ? "" : $0.identity }
  }

  // MARK: Requests

  func perform(
    _ request: Request, _ context: CallContext, _ next: NextStage, _ sender: CredentialSender
  ) async throws -> Response {
    // A request that a refresh sends would wait for that refresh.
    guard !CredentialRenewal.isUnderWay(self) else { return try await next(request, context) }
    let timeline = sender.timeline
    let begin = { (rules: inout Rules) in
      rules.begin(at: timeline.now()) { self.method.isExpired($0, at: sender.date()) }
    }
    var issued = try await issued(nil, context, sender, begin)
    var isReplay = false
    while true {
      let (sent, current) = (timeline.now(), issued)
      guard let place = enter(context.cancellation, current) else {
        issued = try await self.issued(nil, context, sender, begin)
        continue
      }
      let reply: CredentialReply
      do {
        let sent = try await method.authenticate(request, with: current.credential)
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
      issued = try await self.issued(stale, context, sender) { rules in
        rules.stale(current.generation, sent: sent, at: timeline.now())
      }
      guard request.body.isReplayable else { throw CredentialReply.notReplayable(stale) }
      isReplay = true
    }
  }

  // MARK: Renewals

  /// Returns the credential to use, and renews it before if the rules say so.
  private func issued(
    _ stale: ResponseHead?, _ context: CallContext, _ sender: CredentialSender,
    _ decide: (inout Rules) -> Rules.Step
  ) async throws -> Issued {
    let (step, waiting) = state.withLock { state in
      let step = decide(&state.rules)
      if case .renew = step { state.waiting = Promise() }
      return (step, state.waiting)
    }
    switch step {
    case .use(let issued): return issued
    case .fail(let error): throw error
    case .wait: break
    case .renew(let renewal): renew(renewal, stale, sender)
    }
    return try await waiting.value(unless: context.cancellation)
  }

  /// Renews the credential in a task of its own: the requests that wait for it may leave.
  private func renew(_ renewal: Rules.Renewal, _ stale: ResponseHead?, _ sender: CredentialSender) {
    let limit = Self.refreshDeadline
    Task.detached { [self] in
      let cancellation = CancellationToken()
      let timer = Task {
        try await sender.timeline.sleep(limit)
        cancellation.cancel(.deadlineExceeded(limit))
      }
      let outcome: Rules.Outcome
      do {
        let credential = try await cancellation.interrupting { [self] in
          try await CredentialRenewal.run(self) {
            try await renewed(renewal.old?.credential, CredentialRefresh(stale, sender))
          }
        }
        outcome = .renewed(credential)
      } catch let error as CredentialRejected {
        outcome = .final(Self.error(.signedOut, "the identity has to sign in again: \(error.reason)", error))
      } catch {
        outcome = .failed(
          Self.error(.refreshFailed, "the credential could not be refreshed: \(error.refreshProblem)", error)
        )
      }
      timer.cancel()
      end(renewal, outcome, at: sender.timeline.now())
    }
  }

  private static func error(_ code: RequestError.Code, _ message: String, _ error: any Error) -> RequestError
  {
    RequestError(code, message: message, reachedServer: false, underlying: error)
  }

  private func renewed(_ old: Method.Credential?, _ refresh: CredentialRefresh) async throws
    -> Method.Credential
  {
    guard let vault else { return try await method.refresh(old, refresh) }
    let (credential, identity) = try await vault.renewed {
      try await self.method.refresh($0 ?? old, refresh)
    }
    state.withLock { $0.identity = identity }
    return credential
  }

  private func end(_ renewal: Rules.Renewal, _ outcome: Rules.Outcome, at now: Duration) {
    let (waiting, result, calls) = state.withLock { state in
      let result = state.rules.ended(renewal.number, outcome, at: now)
      return (state.waiting, result, state.rules.isSignedOut ? state.calls.newestFirst : [])
    }
    // No request waits for a renewal that was overtaken by a sign-in or a sign-out.
    guard let result else { return }
    waiting.settle(result.mapError { $0 })
    CancellationToken.cancel(calls, .cancelled(.signedOut))
  }

  /// Registers a request on the wire; nil if its credential is no longer the one to use.
  private func enter(_ cancellation: CancellationToken, _ issued: Issued) -> Slab<CancellationToken>.Token? {
    state.withLock { state in
      state.rules.current?.generation == issued.generation ? state.calls.insert(cancellation) : nil
    }
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
