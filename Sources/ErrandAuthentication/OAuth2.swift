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

  /// The server's token endpoint (section 3.2). It is https; only a server on this machine (127.0.0.1, `[::1]` or
  /// `localhost`) may be http. This is true of every endpoint.
  public var tokenURL: URL
  /// The page on which users sign in (section 3.1). Default: nil.
  public var authorizationURL: URL?
  /// The endpoint for sign-ins on another device (RFC 8628). Default: nil.
  public var deviceAuthorizationURL: URL?
  /// The endpoint that revokes tokens (RFC 7009). Default: nil.
  public var revocationURL: URL?
  /// The server's identifier, which redirects must name (`iss`, RFC 9207). Set it if the server names it. Default: nil.
  public var issuer: String?
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
    do {
      var new = try self.tokens(from: response, at: refresh.date, keeping: tokens)
      if grant == .clientCredentials { new.source = source }
      return new
    } catch {
      guard error.code == "invalid_grant", grant == .refreshToken else { throw error }
      throw CredentialRejected(reason: "the server no longer accepts the refresh token (invalid_grant)")
    }
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
    return try post(items, to: tokenURL, OAuth2Endpoint.token)
  }
}

extension OAuth2: CustomStringConvertible, CustomReflectable {
  /// The token endpoint and the client's name, without its secret.
  public var description: String {
    LogText.line("OAuth 2 of \(clientID) at \(Secrets.standard.redact(tokenURL.absoluteString))")
  }
  public var customMirror: Mirror { Mirror(self, children: ["oauth2": description]) }
}
