public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CredentialSession {
  /// Begins to use a credential. Requests of the same identity that wait for a refresh get this credential
  /// instead. Those of another identity are cancelled. An outbox resumes the requests that it keeps for the
  /// identity.
  /// - Parameters:
  ///   - credential: The credential to use from now on.
  ///   - identity: A name for the identity, as in `init`.
  /// - Throws: The store's error, in which case nothing has changed. `RequestError` (`invalidRequest`), if
  ///   the name is empty.
  public func signIn(_ credential: Scheme.Credential, identity: String) async throws {
    guard !identity.isEmpty else {
      throw RequestError(
        .invalidRequest,
        message: "the identity's name is empty: sign in with a name, such as the user's ID",
        reachedServer: false)
    }
    let owner = CredentialIdentity(named: identity)
    let revision = try await vault?.store(credential, of: owner)
    let (waiting, result, change) = state.withLock { state in
      var change = state.take(owner, revision: revision)
      change.listeners = state.listeners.values
      let issued = state.rules.signIn(credential)
      return (state.waiting, Self.outcome(issued, change), change)
    }
    waiting.settle(result)
    tell(change)
  }

  /// Returns the outcome of a sign-in for the requests that wait for a credential.
  static func outcome(_ issued: Issued, _ change: State.Change) -> Result<Issued, any Error> {
    change.isSame
      ? .success(issued) : .failure(CancellationToken.Cause.cancelled(.signedOut).error(reachedServer: false))
  }

  /// Ends the use of the credential. Cancels the identity's requests in flight, and fails others with
  /// `RequestError(.signedOut)` until the next sign-in. A refresh that ends later is ignored. Requests that
  /// an outbox keeps for the identity wait until it signs in again.
  /// - Parameter clearingCache: True to remove the responses that this session's clients have cached for the
  ///   identity. Its cookies stay: see `CookieStore.partition(for:)`. Default: false.
  /// - Throws: The error of the store or of a cache. The credential is no longer used, but it may still be
  ///   stored, or responses may still be cached.
  public func signOut(clearingCache: Bool = false) async throws {
    if let failure = await ended(clearingCache: clearingCache).failure { throw failure }
  }

  /// The result of a sign-out.
  struct End {
    /// The credentials that were in use or stored.
    var credentials: [Scheme.Credential] = []
    /// The renewals that the sign-out has overtaken.
    var renewals: [Promise<Scheme.Credential?>] = []
    /// The error of the store or of a cache.
    var failure: (any Error)?
  }

  /// Signs out.
  func ended(clearingCache: Bool) async -> End {
    let error = Self.signedOut
    var end = End()
    if clearingCache, state.withLock({ !$0.isOwnerKnown }) {
      do { try await look(at: nil) } catch { end.failure = error }
    }
    let (owner, waiting, calls, clearers) = state.withLock { state in
      end.credentials = [state.rules.current?.credential].compactMap(\.self)
      end.renewals = Array(state.renewals.values)
      state.rules.signOut(error)
      state.era += 1
      state.isSigningOut = true
      return (state.owner.text, state.waiting, state.calls.newestFirst, state.clearers.values)
    }
    waiting.settle(.failure(error))
    CancellationToken.cancel(calls, .cancelled(.signedOut))
    var revision = 0
    do {
      if let (cleared, old) = try await vault?.clear() {
        revision = cleared
        end.credentials += old
      }
    } catch {
      end.failure = end.failure ?? error
      if let unsaved = vault?.unsaved { end.credentials.append(unsaved) }
    }
    state.withLock { [revision] state in
      state.isSigningOut = false
      state.revision = max(state.revision, revision)
    }
    if clearingCache {
      for clear in clearers {
        do { try await clear(owner) } catch { end.failure = end.failure ?? error }
      }
    }
    return end
  }

  /// True if the session has a credential: after a sign-in in this process, an earlier launch or another process that
  /// uses the store, and after a first refresh. False after a sign-out, and if the server has rejected the credential.
  /// A credential that has expired counts, because it may be refreshed.
  /// - Throws: The store's error.
  public var isSignedIn: Bool {
    get async throws {
      if vault != nil { try await look(at: nil) }
      return state.withLock { $0.rules.current != nil }
    }
  }

  static var signedOut: RequestError {
    RequestError(
      .signedOut, message: "the client is signed out: sign in, and send the request again",
      reachedServer: false)
  }

  package func onSignIn(_ listener: @escaping @Sendable () -> Void) -> SignInListener? {
    let token = state.withLock { $0.listeners.insert(listener) }
    return SignInListener { [weak self] in self?.state.withLock { _ = $0.listeners.remove(token) } }
  }

  package func onClear(_ clear: @escaping @Sendable (String) async throws -> Void) -> SignInListener? {
    let token = state.withLock { $0.clearers.insert(clear) }
    return SignInListener { [weak self] in self?.state.withLock { _ = $0.clearers.remove(token) } }
  }
}
