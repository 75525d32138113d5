public import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Authentication {
  /// Creates the authentication of a client with a session's credential.
  /// - Parameters:
  ///   - session: The session, which several clients may use.
  ///   - origins: The origins (scheme, host and port) that the credential is for. It is sent to no other
  ///     origin. Default: the origin of the client's base URL.
  public init<Scheme: Authenticator>(_ session: CredentialSession<Scheme>, at origins: [URL]? = nil) {
    self.init(session, "\(Scheme.self)", at: origins)
  }

  /// Sends a token that does not change (RFC 6750): `Authorization: Bearer …`. If the token is empty, or has
  /// a character that a header field cannot have, each request fails with a `RequestError`
  /// (`invalidRequest`).
  public static func bearer(_ token: String, at origins: [URL]? = nil) -> Authentication {
    fixed(
      "Authorization", "Bearer \(token)", as: unnamed(token),
      problem: token.isEmpty ? "the bearer token is empty" : nil, origins)
  }

  /// Sends a user name and a password with Basic authentication (RFC 7617), in UTF-8. Everyone who can read
  /// the request can read them, so use https.
  ///
  /// A user name with a colon, and a name or a password with a control character, cannot be sent this way.
  /// Each request then fails with a `RequestError` (`invalidRequest`) that says so.
  public static func basic(user: String, password: String, at origins: [URL]? = nil) -> Authentication {
    let credential = Data("\(user):\(password)".utf8).base64EncodedString()
    let problem = BasicCredential.problem(user: user.utf8, password: password.utf8)
    return fixed(
      "Authorization", "Basic \(credential)", as: CredentialIdentity(named: user), problem: problem, origins)
  }

  /// Authenticates with a user name and a password that is never sent (Digest, RFC 7616), with SHA-256 or
  /// MD5. The first request to an origin learns its challenge. If that request has a body of more than 4 KiB,
  /// a file or a stream, a request without the body is sent first; a smaller body is sent twice. Names and
  /// passwords are hashed in UTF-8.
  /// - Parameter protectsBody: True to cover the body, too (`auth-int`), if the server offers that and the
  ///   body can be read twice. False to cover it only if the server offers nothing else. A file is then read
  ///   once for its hash and once for sending. Default: false.
  public static func digest(
    user: String, password: String, protectsBody: Bool = false, at origins: [URL]? = nil
  ) -> Authentication {
    Authentication(
      DigestSession(user: user, password: password, protectsBody: protectsBody), "Digest", at: origins)
  }

  /// Authenticates a program, not a user, with access tokens that it obtains with its ID and secret (OAuth 2.0, RFC 6749,
  /// section 4.4). The first request obtains one, and it is renewed when it expires.
  ///
  /// ```swift
  /// configuration.authentication = .oauth2(
  ///   tokenURL: tokenURL, clientID: "orders", clientSecret: secret, store: .file(file))
  /// ```
  ///
  /// For a user who signs in, create a `CredentialSession` with `OAuth2` as its authenticator.
  /// - Parameters:
  ///   - tokenURL: The server's token endpoint.
  ///   - clientID: The program's ID at the server.
  ///   - clientSecret: The program's secret.
  ///   - scope: The scope to ask for. Default: nil, for the server's own.
  ///   - store: Keeps the token for the next start, and for other processes.
  ///   - origins: The origins that get the token. Default: the origin of the client's base URL.
  public static func oauth2(
    tokenURL: URL, clientID: String, clientSecret: String, scope: String? = nil, store: some CredentialStore,
    at origins: [URL]? = nil
  ) -> Authentication {
    let oauth2 = OAuth2(
      tokenURL: tokenURL, clientID: clientID, clientSecret: clientSecret, grant: .clientCredentials,
      scope: scope)
    return Authentication(CredentialSession(oauth2, store: store), at: origins)
  }

  /// Sends a key that does not change in a header field. Default: `X-API-Key`.
  public static func apiKey(_ key: String, in field: String = "X-API-Key", at origins: [URL]? = nil)
    -> Authentication
  {
    fixed(field, key, as: unnamed(key), problem: key.isEmpty ? "the API key is empty" : nil, origins)
  }

  /// Returns an identity without a name, so that an outbox does not bind requests to the token: another token
  /// of the same user may replace it.
  private static func unnamed(_ secret: String) -> CredentialIdentity {
    CredentialIdentity(withoutName: SHA256Digest(hashing: Data(secret.utf8)).description)
  }

  /// - Parameters:
  ///   - identity: The identity, which must be the same at each start of the app.
  ///   - problem: The reason why the value cannot be sent; nil if it can.
  private static func fixed(
    _ name: String, _ value: String, as identity: CredentialIdentity, problem: String? = nil,
    _ origins: [URL]?
  ) -> Authentication {
    let field = FixedField(name: name, problem: problem)
    return Authentication(CredentialSession(field, value, of: identity), at: origins)
  }
}
