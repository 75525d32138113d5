#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The credential of a client's requests, and the origins that it is for.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.baseURL = URL(string: "https://api.example.com")
/// configuration.authentication = .bearer(token)
/// ```
///
/// Where the credential can be refreshed (`CredentialSession`), a response with the status 401 has it refreshed,
/// once, however many requests meet it; each of them is then sent once more, which does not count as an attempt.
/// The identity is part of what is compared when requests are shared and responses are cached: one user's response
/// is never given to another.
public struct Authentication: Sendable, CustomStringConvertible {
  let session: any AnyCredentialSession
  /// The canonical names of the origins that the credential is for; nil for that of the client's base URL.
  let origins: Set<String>?
  private let kind: String

  /// - Parameter origins: The origins (scheme, host and port) that the credential is for: no other is ever sent it.
  ///   Default: that of the client's base URL.
  public init<Method: Authenticator>(_ session: CredentialSession<Method>, at origins: [URL]? = nil) {
    self.session = session
    self.origins = origins.map { Set($0.compactMap { Origin($0)?.text }) }
    kind = "\(Method.self)"
  }

  /// Returns the canonical names of the origins that the credential is for; none if that is not known.
  func origins(below base: URL?) -> Set<String> {
    origins ?? base.flatMap(Origin.init).map { [$0.text] } ?? []
  }

  /// A token that does not change (RFC 6750): `Authorization: Bearer …`.
  public static func bearer(_ token: String, at origins: [URL]? = nil) -> Authentication {
    fixed("Authorization", "Bearer \(token)", as: digest(token), origins)
  }

  /// A user and a password (RFC 7617), in UTF-8. They are readable for all who see the request: use https.
  public static func basic(user: String, password: String, at origins: [URL]? = nil) -> Authentication {
    let credential = Data("\(user):\(password)".utf8).base64EncodedString()
    return fixed("Authorization", "Basic \(credential)", as: user, origins)
  }

  /// A user and a password that are never sent (RFC 7616), with SHA-256 or MD5. The first request learns the server's
  /// challenge.
  public static func digest(user: String, password: String, at origins: [URL]? = nil) -> Authentication {
    let method = DigestAuthenticator(user: user, password: password)
    return Authentication(CredentialSession(method, identity: user), at: origins)
  }

  /// A key in a header field of its own.
  public static func apiKey(_ key: String, in field: String = "X-API-Key", at origins: [URL]? = nil)
    -> Authentication
  {
    fixed(field, key, as: digest(key), origins)
  }

  private static func digest(_ secret: String) -> String {
    SHA256Digest(hashing: Data(secret.utf8)).description
  }

  /// - Parameter identity: The same at each start.
  private static func fixed(
    _ name: String, _ value: String, as identity: String, _ origins: [URL]?
  ) -> Authentication {
    let session = CredentialSession(FixedField(name: name), credential: value, identity: identity)
    return Authentication(session, at: origins)
  }

  /// The kind of authentication. Shows nothing of the credential.
  public var description: String { kind }
}

/// A credential that is one header field, and that nothing can refresh: a 401 is the response.
private struct FixedField: Authenticator {
  let name: String

  func authenticate(_ request: Request, with value: String) -> Request {
    var request = request
    request.fields.set(name, value, isSecret: true)
    return request
  }

  func isStale(_ value: String, _ response: ResponseHead) -> Bool { false }

  func refresh(_ value: String?, _ refresh: CredentialRefresh) throws -> String {
    throw CredentialRejected(reason: "this credential cannot be refreshed")
  }
}
