#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CredentialSession {
  /// Begins to use a credential. Requests that wait for a refresh get this one instead, and an outbox that waits
  /// for a sign-in goes on.
  /// - Parameter identity: A name for the identity, as in `init`. Default: a new one.
  /// - Throws: The store's error; then nothing has changed.
  public func signIn(_ credential: Method.Credential, identity: String? = nil) async throws {
    let identity = identity ?? CredentialIdentity.new()
    try await vault?.store(credential, identity: identity)
    let (issued, waiting, listeners) = state.withLock { state in
      let issued = state.rules.signIn(credential)
      state.identity = identity
      return (issued, state.waiting, state.listeners.values)
    }
    waiting.settle(.success(issued))
    for listener in listeners { listener() }
  }

  /// Ends the use of the credential: cancels the identity's requests in flight, and fails others with
  /// `RequestError(.signedOut)` until the next sign-in. A refresh that ends later counts no more.
  /// - Throws: The store's error. The credential is not used any more, but it may still be stored.
  public func signOut() async throws {
    let error = RequestError(
      .signedOut, message: "the client is signed out: sign in, and send the request again",
      reachedServer: false)
    let (waiting, calls) = state.withLock { state in
      state.rules.signOut(error)
      return (state.waiting, state.calls.newestFirst)
    }
    waiting.settle(.failure(error))
    CancellationToken.cancel(calls, .cancelled(.signedOut))
    try await vault?.clear()
  }

  func onSignIn(_ listener: @escaping @Sendable () -> Void) -> SignInListener? {
    let token = state.withLock { $0.listeners.insert(listener) }
    return SignInListener { [weak self] in self?.state.withLock { _ = $0.listeners.remove(token) } }
  }
}
