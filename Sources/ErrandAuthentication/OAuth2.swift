public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Access tokens of OAuth 2.0 (RFC 6749): refreshed with a refresh token (section 6), or obtained with the
/// client's own credentials (section 4.4). They are sent as bearer tokens (RFC 6750).
///
/// A server may give out a new refresh token with each refresh. It takes the place of the old one, and is stored
/// before the new access token is used.
public struct OAuth2: Authenticator {
  /// How a new access token is obtained.
  public enum Grant: Sendable, Hashable {
    /// With the refresh token that the last response or the sign-in brought.
    case refreshToken
    /// With the client's own identity; there is no user, and no sign-in.
    case clientCredentials
  }

  /// The tokens of one identity.
  public struct Tokens: Sendable, Hashable, Codable, CustomStringConvertible, CustomReflectable {
    public var accessToken: String
    public var refreshToken: String?
    /// When the access token expires, by the wall clock; nil if the server did not say.
    public var expiry: Date?

    public init(accessToken: String, refreshToken: String? = nil, expiry: Date? = nil) {
      self.accessToken = accessToken
      self.refreshToken = refreshToken
      self.expiry = expiry
    }

    /// Shows no token.
    public var description: String {
      "tokens\(refreshToken == nil ? "" : " with a refresh token")\(expiry.map { ", until \($0)" } ?? "")"
    }
    public var customMirror: Mirror { Mirror(self, children: ["tokens": description]) }
  }

  /// The server's token endpoint (section 3.2).
  public var tokenURL: URL
  public var clientID: String
  /// Nil for a public client: an app that cannot keep a secret.
  public var clientSecret: String?
  public var grant: Grant
  /// The scope to ask for (section 3.3); nil for what was granted before.
  public var scope: String?
  /// How long before its end an access token is refreshed. Default: 10 s.
  public var leeway: Duration = .seconds(10)

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

  public var authenticatesAtOnce: Bool { true }

  public func authenticate(_ request: Request, with tokens: Tokens) -> Request {
    var request = request
    request.fields.set("Authorization", "Bearer \(tokens.accessToken)", isSecret: true)
    return request
  }

  public func isExpired(_ tokens: Tokens, at date: Date) -> Bool {
    tokens.expiry.map { $0.timeIntervalSince(date) <= leeway.seconds } ?? false
  }

  public func refresh(_ tokens: Tokens?, _ refresh: CredentialRefresh) async throws -> Tokens {
    let response = try await refresh.send(try request(tokens))
    guard response.status.isSuccess else { throw problem(with: response) }
    guard let reply = try? JSONDecoder().decode(Reply.self, from: response.data) else {
      throw problem(with: response)
    }
    if let problem = reply.problem { throw OAuth2Error(reason: problem) }
    let refreshToken = reply.refreshToken.flatMap { $0.isEmpty ? nil : $0 }
    return Tokens(
      accessToken: reply.accessToken, refreshToken: refreshToken ?? tokens?.refreshToken,
      expiry: reply.lifetime.map { refresh.date + $0 })
  }

  private func request(_ tokens: Tokens?) throws -> Request {
    var items: [(String, String)]
    switch grant {
    case .refreshToken:
      guard let token = tokens?.refreshToken else {
        throw CredentialRejected(reason: tokens == nil ? "nobody has signed in" : "there is no refresh token")
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
    // Its redirects are not followed: they would take the refresh token elsewhere.
    return Request(.post, tokenURL, fields: fields, body: .form(items))
      .acceptingAnyStatus().redirects(RedirectPolicy(limit: 0)).memoryLimit(Self.replyLimit)
  }

  private static let replyLimit = 1 << 20

  /// Both parts are encoded as in a form first (RFC 6749, section 2.3.1).
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

    /// The reason why the access token cannot be sent (RFC 6749, section 7.1 and appendix A.12); nil if there is none.
    var problem: String? {
      if let tokenType, !ASCII.lowercased(tokenType).hasPrefix("bearer") {
        return "the token endpoint gave a token of another type than Bearer, which is not known here"
      }
      guard !accessToken.isEmpty, accessToken.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
        return "the token endpoint gave an access token that is empty, or has a character that no token has"
      }
      return nil
    }
  }

  /// A number, which some servers write as a text.
  private struct Seconds: Decodable {
    /// Nil if it is none. Without its tokens, the response would have used up the refresh token for nothing.
    let count: Double?

    init(from decoder: any Decoder) throws {
      let container = try? decoder.singleValueContainer()
      let number =
        (try? container?.decode(Double.self)) ?? (try? container?.decode(String.self)).flatMap(Double.init)
      count = number.flatMap { $0.isFinite ? $0 : nil }
    }
  }

  private struct Refusal: Decodable { let error: String }

  /// The server's error code (section 5.2) is shown; its description may quote what was sent.
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
      return CredentialRejected(reason: "the server accepts the refresh token no more (invalid_grant)")
    }
    return OAuth2Error(reason: "the token endpoint responded with \(response.status) and \(code)")
  }
}

extension OAuth2: CustomStringConvertible, CustomReflectable {
  /// The token endpoint and the client's name, without its secret.
  public var description: String {
    "OAuth 2 of \(clientID) at \(Secrets.standard.redact(tokenURL.absoluteString))"
  }
  public var customMirror: Mirror { Mirror(self, children: ["oauth2": description]) }
}

/// The reason why a token endpoint gave no tokens.
struct OAuth2Error: ShownError, CustomStringConvertible {
  let reason: String
  var description: String { reason }
}
