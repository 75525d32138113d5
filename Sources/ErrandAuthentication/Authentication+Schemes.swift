public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Authentication {
  /// - Parameter origins: The origins (scheme, host and port) that the credential is for: no other is ever sent it.
  ///   Default: that of the client's base URL.
  public init<Scheme: Authenticator>(_ session: CredentialSession<Scheme>, at origins: [URL]? = nil) {
    self.init(session, "\(Scheme.self)", at: origins)
  }

  /// A token that does not change (RFC 6750): `Authorization: Bearer …`. With an empty one each request fails with a
  /// `RequestError` (`invalidRequest`), and so it does with a character that no header field can have.
  public static func bearer(_ token: String, at origins: [URL]? = nil) -> Authentication {
    fixed(
      "Authorization", "Bearer \(token)", as: unnamed(token),
      problem: token.isEmpty ? "the bearer token is empty" : nil, origins)
  }

  /// A user and a password (RFC 7617), in UTF-8. They are readable for all who see the request: use https.
  ///
  /// A user's name with a colon, and a name or a password with a control character, cannot be sent this way: each
  /// request fails with a `RequestError` (`invalidRequest`) that says so.
  public static func basic(user: String, password: String, at origins: [URL]? = nil) -> Authentication {
    let credential = Data("\(user):\(password)".utf8).base64EncodedString()
    let problem = BasicCredential.problem(user: user.utf8, password: password.utf8)
    return fixed(
      "Authorization", "Basic \(credential)", as: CredentialIdentity(named: user), problem: problem, origins)
  }

  /// A user and a password that are never sent (RFC 7616), with SHA-256 or MD5. The first request to an origin learns
  /// its challenge. If it has a body of more than 4 KiB, a file or a stream, a request without the body goes first;
  /// a smaller body is sent twice. Names and passwords are hashed in UTF-8.
  /// - Parameter protectsBody: True to cover the body, too (`auth-int`), where the server offers that and the body can
  ///   be read twice; false to do so only where the server offers nothing else. A file is then read once for its hash
  ///   and once for sending.
  public static func digest(
    user: String, password: String, protectsBody: Bool = false, at origins: [URL]? = nil
  ) -> Authentication {
    Authentication(
      DigestSession(user: user, password: password, protectsBody: protectsBody), "Digest", at: origins)
  }

  /// A key in a header field of its own.
  public static func apiKey(_ key: String, in field: String = "X-API-Key", at origins: [URL]? = nil)
    -> Authentication
  {
    fixed(field, key, as: unnamed(key), problem: key.isEmpty ? "the API key is empty" : nil, origins)
  }

  /// An outbox does not keep requests for a token, which may be replaced by another of the same user.
  private static func unnamed(_ secret: String) -> CredentialIdentity {
    CredentialIdentity(withoutName: SHA256Digest(hashing: Data(secret.utf8)).description)
  }

  /// - Parameters:
  ///   - identity: The same at each start.
  ///   - problem: The reason why the value cannot be sent.
  private static func fixed(
    _ name: String, _ value: String, as identity: CredentialIdentity, problem: String? = nil,
    _ origins: [URL]?
  ) -> Authentication {
    let field = FixedField(name: name, problem: problem)
    return Authentication(CredentialSession(field, value, of: identity), at: origins)
  }
}

/// A credential that is one header field, and that nothing can refresh: a 401 is the response.
struct FixedField: Authenticator {
  let name: String
  let problem: String?
  var authenticatesAtOnce: Bool { true }

  func authenticate(_ request: Request, with value: String) throws -> Request {
    if let problem { throw RequestError(.invalidRequest, message: problem, reachedServer: false) }
    var request = request
    request.fields.set(name, value, isSecret: true)
    return request
  }

  func isStale(_ value: String, _ response: ResponseHead) -> Bool { false }

  func refresh(_ value: String?, _ refresh: CredentialRefresh) throws -> String {
    throw CredentialRejected(reason: "this credential cannot be refreshed")
  }
}
