public import ErrandCore

extension OAuth2 {
  /// Revokes tokens at the server (RFC 7009): first the refresh token, and then the access token. A server that does not
  /// know a token counts as one that has revoked it. Each of the two requests may take 30 s.
  /// - Parameters:
  ///   - tokens: The tokens of one identity.
  ///   - client: The client that sends the requests. Its credential is not sent.
  /// - Throws: `SignInError` (`notRevoked`), if the server refuses; `invalidConfiguration`, without a revocation endpoint,
  ///   or with one that is not https; the error of the request. The access token is tried also if the refresh token has
  ///   failed.
  public func revoke(_ tokens: Tokens, over client: Client) async throws {
    var tried: Set<String> = []
    try await revoke(tokens, over: client, unless: &tried)
  }

  /// Revokes tokens.
  /// - Parameter tried: The tokens whose revocation has been tried, to which these are added.
  fileprivate func revoke(_ tokens: Tokens, over client: Client, unless tried: inout Set<String>) async throws
  {
    guard let revocationURL else {
      throw SignInError(.invalidConfiguration, "the revocation endpoint is not known: set revocationURL")
    }
    var failure: (any Error)?
    for (token, kind) in [(tokens.refreshToken, "refresh_token"), (tokens.accessToken, "access_token")] {
      guard let token, !token.isEmpty, tried.insert(token).inserted else { continue }
      let request = try signInRequest(
        [("token", token), ("token_type_hint", kind)], to: revocationURL, "revocation endpoint")
      do {
        let response = try await send(request, over: client)
        let error =
          response.status.isSuccess
          ? nil
          : OAuth2Error(response, from: "revocation endpoint", at: client.date())
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
  /// but stay valid until they expire. All tokens are revoked that the session or its store held at the sign-out. A refresh
  /// that is under way then is waited for, at most 30 s, and its tokens are revoked as well. Each request for a revocation
  /// has 30 s.
  /// - Parameters:
  ///   - client: The client that sends the requests. Its credential is not sent.
  ///   - clearingCache: As in ``signOut(clearingCache:)``. Default: false.
  /// - Throws: The error of the store or of a cache; otherwise that of the revocation, as
  ///   ``OAuth2/revoke(_:over:)``; `SignInError` (`notRevoked`), if a refresh that was under way ended without a response.
  public func signOut(revokingOver client: Client, clearingCache: Bool = false) async throws {
    // Another process may have refreshed the tokens.
    try? await look(at: nil)
    let end = await ended(clearingCache: clearingCache)
    var failure = end.failure
    var tried: Set<String> = []
    for tokens in end.credentials {
      do { try await method.revoke(tokens, over: client, unless: &tried) } catch {
        failure = failure ?? error
      }
    }
    for renewal in end.renewals {
      do {
        // It would wait for itself.
        guard !CredentialRenewal.isUnderWay(self) else {
          throw SignInError(.notRevoked, "the sign-out is a part of a refresh, whose tokens are not revoked")
        }
        if let tokens = try await renewal.value() {
          try await method.revoke(tokens, over: client, unless: &tried)
        }
      } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
