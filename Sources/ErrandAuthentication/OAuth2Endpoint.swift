import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The check of the URLs to which tokens and secrets are sent. Pure.
enum OAuth2Endpoint {
  /// The name of the token endpoint in messages.
  static let token = "token endpoint"

  /// Returns the reason why nothing secret may be sent to the URL; nil if it may: it is https, or it is http of this
  /// machine itself, for development.
  static func problem(_ url: URL, _ name: String) -> String? {
    let request = Request.get(url)
    guard let url = request.url, let host = url.host() else { return "the \(name) has no valid URL" }
    let isSecure = ASCII.equalIgnoringCase(url.scheme ?? "", "https")
    return isSecure || isLoopback(host)
      ? nil
      : "the \(name) at \(host) is not https, so others could read the tokens: only a server on this machine "
        + "(127.0.0.1, [::1] or localhost) may be http"
  }

  private static func isLoopback(_ host: String) -> Bool {
    let host = ASCII.lowercased(host)
    return ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
  }
}

extension OAuth2 {
  /// Returns a POST to one of the server's endpoints, with the client's ID, and its secret if it has one (RFC 6749,
  /// section 2.3.1). Redirects are not followed, because they would take the tokens elsewhere.
  func post(_ items: [(String, String)], to url: URL, _ name: String) throws(OAuth2Error) -> Request {
    if let problem = OAuth2Endpoint.problem(url, name) { throw OAuth2Error(reason: problem) }
    var items = items
    var fields: HTTPFields = ["Accept": "application/json"]
    if let clientSecret {
      fields.append("Authorization", Self.basic(clientID, clientSecret), isSecret: true)
    } else {
      items.append(("client_id", clientID))
    }
    return Request(.post, url, fields: fields, body: .form(items))
      .acceptingAnyStatus().redirects(RedirectPolicy(limit: 0)).memoryLimit(Self.replyLimit)
  }

  private static var replyLimit: Int { 1 << 20 }

  /// Both parts are form-encoded first (RFC 6749, section 2.3.1).
  private static func basic(_ id: String, _ secret: String) -> String {
    let pair = "\(PercentEncoding.form(id)):\(PercentEncoding.form(secret))"
    return "Basic \(Data(pair.utf8).base64EncodedString())"
  }

  /// Returns a request of a sign-in or a sign-out.
  /// - Throws: `SignInError` (`invalidConfiguration`), if nothing secret may be sent to the URL.
  func signInRequest(
    _ items: [(String, String)], to url: URL, _ name: String
  ) throws(SignInError) -> Request {
    do { return try post(items, to: url, name) } catch {
      throw SignInError(.invalidConfiguration, error.reason)
    }
  }

  /// The longest time that a request of a sign-in or a sign-out may take, as that of a refresh.
  static var requestDeadline: Duration { .seconds(30) }

  /// Sends a request of a sign-in without a credential and without waiting for a slot, whatever the client's limits are.
  func send(
    _ request: Request, over client: Client, within limit: Duration = Self.requestDeadline
  ) async throws -> Response {
    var request = request.unauthenticated().deadline(min(limit, Self.requestDeadline))
    request.options.takesNoSlot = true
    return try await client.send(request)
  }

  /// Returns the tokens of a token endpoint's response.
  func tokens(
    from response: Response, at date: Date, keeping old: Tokens? = nil
  ) throws(OAuth2Error) -> Tokens {
    guard response.status.isSuccess, let reply = try? JSONDecoder().decode(Reply.self, from: response.data)
    else { throw OAuth2Error(response, at: date) }
    if let problem = reply.problem { throw OAuth2Error(reason: problem) }
    let refreshToken = reply.refreshToken.flatMap { $0.isEmpty ? nil : $0 }
    return Tokens(
      accessToken: reply.accessToken, refreshToken: refreshToken ?? old?.refreshToken,
      expiry: reply.lifetime.map { date + $0 })
  }

  private struct Reply: Decodable {
    let accessToken: String
    let refreshToken: String?
    let expiresIn: LenientNumber?
    let tokenType: String?

    enum CodingKeys: String, CodingKey {
      case accessToken = "access_token"
      case tokenType = "token_type"
      case refreshToken = "refresh_token"
      case expiresIn = "expires_in"
    }

    var lifetime: TimeInterval? { expiresIn?.value.map { min(max(0, $0), 100 * 365 * 86_400) } }

    /// The reason why the access token cannot be sent (RFC 6749, section 7.1 and appendix A.12); nil if it
    /// can.
    var problem: String? {
      // Some gateways write "BearerToken".
      if let tokenType, !["bearer", "bearertoken"].contains(ASCII.lowercased(tokenType)) {
        return "the token endpoint issued a token of another type than Bearer, which Errand does not support"
      }
      guard !accessToken.isEmpty, accessToken.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
        return
          "the token endpoint issued an access token that is empty, or has a character that tokens cannot have"
      }
      return nil
    }
  }
}

/// A number, which some servers write as a text.
struct LenientNumber: Decodable {
  /// Nil if it is not a number. An error instead would lose the tokens, although the refresh token or the code is used
  /// up.
  let value: Double?

  init(from decoder: any Decoder) throws {
    let container = try? decoder.singleValueContainer()
    let number =
      (try? container?.decode(Double.self)) ?? (try? container?.decode(String.self)).flatMap(Double.init)
    value = number.flatMap { $0.isFinite ? $0 : nil }
  }
}

/// The error of an endpoint that issued no tokens.
struct OAuth2Error: ShownError, CustomStringConvertible {
  let reason: String
  /// The server's error code, if it is one of the standards'; nil for other failures.
  private(set) var code: String?
  /// True if the server may accept the same request later (429 and 5xx).
  private(set) var isTemporary = false
  /// How long the server asked to wait before the next request (`Retry-After`); nil if it did not ask.
  private(set) var retryAfter: Duration?
  var description: String { reason }

  init(reason: String) { self.reason = reason }

  /// The error of a response without tokens. It shows the server's error code (RFC 6749, section 5.2, and RFC 8628,
  /// section 3.5), but not its description, which may quote a secret.
  init(_ response: Response, from name: String = OAuth2Endpoint.token, at date: Date) {
    let code = (try? JSONDecoder().decode(Refusal.self, from: response.data))?.error
    isTemporary = response.status == 429 || response.status.isServerError
    retryAfter = RetryAfter(of: response.fields)?.wait(from: date)
    self.code = code.flatMap { Self.known.contains($0) ? $0 : nil }
    reason =
      self.code.map { "the \(name) responded with \(response.status) and \($0)" }
      ?? "the \(name) responded with \(response.status)\(name == OAuth2Endpoint.token ? ", and no tokens" : "")"
  }

  private struct Refusal: Decodable { let error: String }

  /// The codes of RFC 6749 (sections 4.1.2.1 and 5.2), RFC 7009, RFC 8628 and OpenID Connect Core. Others may be anything.
  static let known: Set = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "invalid_scope", "access_denied", "unsupported_response_type", "server_error", "temporarily_unavailable",
    "authorization_pending", "slow_down", "expired_token", "unsupported_token_type", "interaction_required",
    "login_required", "account_selection_required", "consent_required",
  ]
}
