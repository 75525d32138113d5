public import ErrandCore

extension OAuth2 {
  /// Revokes tokens at the server (RFC 7009): first the refresh token, and then the access token. A server that does not
  /// know a token counts as one that has revoked it.
  /// - Parameters:
  ///   - tokens: The tokens of one identity.
  ///   - client: The client that sends the requests. Its credential is not sent.
  /// - Throws: `SignInError` (`notRevoked`), if the server refuses; `invalidConfiguration`, without a revocation endpoint,
  ///   or with one that is not https; the error of the request. The access token is tried also if the refresh token has
  ///   failed.
  public func revoke(_ tokens: Tokens, over client: Client) async throws {
    guard let revocationURL else {
      throw SignInError(.invalidConfiguration, "the revocation endpoint is not known: set revocationURL")
    }
    var failure: (any Error)?
    for (token, kind) in [(tokens.refreshToken, "refresh_token"), (tokens.accessToken, "access_token")] {
      guard let token, !token.isEmpty else { continue }
      let request: Request
      do {
        request = try post(
          [("token", token), ("token_type_hint", kind)], to: revocationURL, "revocation endpoint")
      } catch { throw SignInError(.invalidConfiguration, error.reason) }
      do {
        let response = try await send(request, over: client)
        let error = response.status.isSuccess ? nil : OAuth2Error(response, from: "revocation endpoint", at: client.date())
        // Some servers revoke only refresh tokens (section 2.2.1), and the access token with them.
        let isUnsupported = error?.code == "unsupported_token_type" && tokens.refreshToken != nil
        if let error, !isUnsupported || kind == "refresh_token" {
          failure = failure ?? SignInError(.notRevoked, "the tokens were not revoked: \(error.reason)")
        }
      } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}

extension CredentialSession where Scheme == OAuth2 {
  /// Signs out as ``signOut(clearingCache:)`` does, and revokes the tokens at the server (RFC 7009).
  ///
  /// The identity is signed out even if the server cannot be reached. The tokens are then no longer known to the program,
  /// but stay valid until they expire.
  /// - Parameters:
  ///   - client: The client that sends the requests. Its credential is not sent.
  ///   - clearingCache: As in ``signOut(clearingCache:)``. Default: false.
  /// - Throws: The error of the store or of a cache; otherwise that of the revocation, as
  ///   ``OAuth2/revoke(_:over:)``.
  public func signOut(revokingOver client: Client, clearingCache: Bool = false) async throws {
    // Another process may have refreshed the tokens.
    try? await look(at: nil)
    let tokens = state.withLock { $0.rules.current?.credential }
    var failure: (any Error)?
    do { try await signOut(clearingCache: clearingCache) } catch { failure = error }
    if let tokens {
      do { try await method.revoke(tokens, over: client) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
