public import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Access tokens of OAuth 2.0 (RFC 6749). They are refreshed with a refresh token (section 6), or obtained
/// with the client's credentials (section 4.4), and sent as bearer tokens (RFC 6750).
///
/// A server may issue a new refresh token with each refresh. It replaces the old one, and is stored before
/// the new access token is used.
public struct OAuth2: Authenticator {
  /// How a new access token is obtained.
  public enum Grant: Sendable, Hashable {
    /// Uses the refresh token of the last response or of the sign-in.
    case refreshToken
    /// Uses the client's ID and secret, without a user and without a sign-in.
    case clientCredentials
  }

  /// The tokens of one identity.
  public struct Tokens: Sendable, Hashable, Codable, CustomStringConvertible, CustomReflectable {
    /// The token that is sent with each request.
    public var accessToken: String
    /// The token that obtains the next access token; nil if the server issued none.
    public var refreshToken: String?
    /// The time at which the access token expires, by the wall clock; nil if the server did not say.
    public var expiry: Date?
    /// The digest of the settings that the tokens were obtained with; nil for those of a user.
    var source: String?

    /// Creates the tokens of one identity, such as those of a sign-in.
    /// - Parameters:
    ///   - accessToken: The token that is sent with each request.
    ///   - refreshToken: The token that obtains the next access token. Default: nil.
    ///   - expiry: The time at which the access token expires, by the wall clock. Default: nil, which means
    ///     unknown.
    public init(accessToken: String, refreshToken: String? = nil, expiry: Date? = nil) {
      self.accessToken = accessToken
      self.refreshToken = refreshToken
      self.expiry = expiry
    }

    /// The expiry, and whether there is a refresh token, without the tokens.
    public var description: String {
      "tokens\(refreshToken == nil ? "" : " with a refresh token")\(expiry.map { ", until \($0)" } ?? "")"
    }
    public var customMirror: Mirror { Mirror(self, children: ["tokens": description]) }
  }

  /// The server's token endpoint (section 3.2).
  public var tokenURL: URL
  /// The client's ID at the server (section 2.2).
  public var clientID: String
  /// The client's secret; nil for a public client, such as an app, which cannot keep one.
  public var clientSecret: String?
  /// How a new access token is obtained. Default: `refreshToken`.
  public var grant: Grant
  /// The scope to ask for (section 3.3); nil for the scope that was granted before.
  public var scope: String?
  /// How long before its expiry an access token is refreshed. Default: 10 s.
  public var leeway: Duration = .seconds(10)

  /// Creates an authenticator for one client of a server.
  /// - Parameters:
  ///   - tokenURL: The server's token endpoint (section 3.2).
  ///   - clientID: The client's ID at the server (section 2.2).
  ///   - clientSecret: The client's secret. Default: nil, for a public client.
  ///   - grant: How a new access token is obtained. Default: `refreshToken`.
  ///   - scope: The scope to ask for. Default: nil, for the scope that was granted before.
  public init(
    tokenURL: URL, clientID: String, clientSecret: String? = nil, grant: Grant = .refreshToken,
    scope: String? = nil
  ) {
    self.tokenURL = tokenURL
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.grant = grant
    self.scope = scope
  }

  /// True: adding a header field never waits.
  public var authenticatesAtOnce: Bool { true }

  /// Returns the request with the access token in `Authorization`.
  public func authenticate(_ request: Request, with tokens: Tokens) -> Request {
    var request = request
    request.fields.set("Authorization", "Bearer \(tokens.accessToken)", isSecret: true)
    return request
  }

  /// Returns true from `leeway` before the access token's expiry. With `clientCredentials`, also returns true for a
  /// stored token that was obtained from another token endpoint, for another client, or with another scope.
  public func isExpired(_ tokens: Tokens, at date: Date) -> Bool {
    isForeign(tokens) || tokens.expiry.map { $0.timeIntervalSince(date) <= leeway.seconds } ?? false
  }

  private func isForeign(_ tokens: Tokens) -> Bool {
    // A user's tokens stay valid when the program has another address for the same server.
    grant == .clientCredentials && tokens.source.map { $0 != source } ?? false
  }

  var source: String {
    let parts = [tokenURL.absoluteString, clientID, scope ?? ""]
    return SHA256Digest(hashing: Data(parts.joined(separator: "\0").utf8)).description
  }

  /// Returns new tokens from the token endpoint. They keep the old refresh token if the server issues no new
  /// one.
  /// - Throws: `CredentialRejected`, if the identity has to sign in again; the error of the request or of the
  ///   token endpoint.
  public func refresh(_ tokens: Tokens?, _ refresh: CredentialRefresh) async throws -> Tokens {
    let response = try await refresh.send(try request(tokens))
    guard response.status.isSuccess else { throw problem(with: response) }
    guard let reply = try? JSONDecoder().decode(Reply.self, from: response.data) else {
      throw problem(with: response)
    }
    if let problem = reply.problem { throw OAuth2Error(reason: problem) }
    let refreshToken = reply.refreshToken.flatMap { $0.isEmpty ? nil : $0 }
    var new = Tokens(
      accessToken: reply.accessToken, refreshToken: refreshToken ?? tokens?.refreshToken,
      expiry: reply.lifetime.map { refresh.date + $0 })
    if grant == .clientCredentials { new.source = source }
    return new
  }

  private func request(_ tokens: Tokens?) throws -> Request {
    var items: [(String, String)]
    switch grant {
    case .refreshToken:
      guard let token = tokens?.refreshToken else {
        throw CredentialRejected(
          reason: tokens == nil ? "no user has signed in" : "it has no refresh token")
      }
      items = [("grant_type", "refresh_token"), ("refresh_token", token)]
    case .clientCredentials:
      items = [("grant_type", "client_credentials")]
    }
    if let scope { items.append(("scope", scope)) }
    var fields: HTTPFields = ["Accept": "application/json"]
    if let clientSecret {
      fields.append("Authorization", Self.basic(clientID, clientSecret), isSecret: true)
    } else {
      items.append(("client_id", clientID))
    }
    // Redirects are not followed, because they would take the refresh token elsewhere.
    return Request(.post, tokenURL, fields: fields, body: .form(items))
      .acceptingAnyStatus().redirects(RedirectPolicy(limit: 0)).memoryLimit(Self.replyLimit)
  }

  private static let replyLimit = 1 << 20

  /// Both parts are form-encoded first (RFC 6749, section 2.3.1).
  private static func basic(_ id: String, _ secret: String) -> String {
    let pair = "\(PercentEncoding.form(id)):\(PercentEncoding.form(secret))"
    return "Basic \(Data(pair.utf8).base64EncodedString())"
  }

  private struct Reply: Decodable {
    let accessToken: String
    let refreshToken: String?
    let expiresIn: Seconds?
    let tokenType: String?

    enum CodingKeys: String, CodingKey {
      case accessToken = "access_token"
      case tokenType = "token_type"
      case refreshToken = "refresh_token"
      case expiresIn = "expires_in"
    }

    var lifetime: TimeInterval? { expiresIn?.count.map { min(max(0, $0), 100 * 365 * 86_400) } }

    /// The reason why the access token cannot be sent (RFC 6749, section 7.1 and appendix A.12); nil if it
    /// can.
    var problem: String? {
      if let tokenType, !ASCII.lowercased(tokenType).hasPrefix("bearer") {
        return "the token endpoint issued a token of another type than Bearer, which Errand does not support"
      }
      guard !accessToken.isEmpty, accessToken.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
        return
          "the token endpoint issued an access token that is empty, or has a character that tokens cannot have"
      }
      return nil
    }
  }

  /// A number, which some servers write as a text.
  private struct Seconds: Decodable {
    /// Nil if it is not a number. An error instead would lose the tokens, although the refresh token is used
    /// up.
    let count: Double?

    init(from decoder: any Decoder) throws {
      let container = try? decoder.singleValueContainer()
      let number =
        (try? container?.decode(Double.self)) ?? (try? container?.decode(String.self)).flatMap(Double.init)
      count = number.flatMap { $0.isFinite ? $0 : nil }
    }
  }

  private struct Refusal: Decodable { let error: String }

  /// Returns the error of a response without tokens. It shows the server's error code (section 5.2), but not
  /// its description, which may quote a secret.
  private func problem(with response: Response) -> any Error {
    let known: Set = [
      "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
      "invalid_scope",
    ]
    let code = (try? JSONDecoder().decode(Refusal.self, from: response.data))?.error
    guard let code, known.contains(code) else {
      return OAuth2Error(reason: "the token endpoint responded with \(response.status), and no tokens")
    }
    if code == "invalid_grant", grant == .refreshToken {
      return CredentialRejected(reason: "the server no longer accepts the refresh token (invalid_grant)")
    }
    return OAuth2Error(reason: "the token endpoint responded with \(response.status) and \(code)")
  }
}

extension OAuth2: CustomStringConvertible, CustomReflectable {
  /// The token endpoint and the client's name, without its secret.
  public var description: String {
    LogText.line("OAuth 2 of \(clientID) at \(Secrets.standard.redact(tokenURL.absoluteString))")
  }
  public var customMirror: Mirror { Mirror(self, children: ["oauth2": description]) }
}

/// The error of a token endpoint that issued no tokens.
struct OAuth2Error: ShownError, CustomStringConvertible {
  let reason: String
  var description: String { reason }
}
