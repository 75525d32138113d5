public import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension OAuth2 {
  /// One sign-in with an authorization code (RFC 6749, section 4.1) and PKCE (RFC 7636). It has the page to open, and the
  /// values that its redirect must have. Use it for a page in your own view; ``authorize(over:path:port:within:parameters:open:)`` uses
  /// the user's browser.
  ///
  /// ```swift
  /// let authorization = try method.authorization(redirect: redirectURL)
  /// let redirected = try await show(authorization.url)
  /// let tokens = try await method.tokens(for: authorization, redirectedTo: redirected, over: client)
  /// ```
  public struct Authorization: Sendable, CustomStringConvertible, CustomReflectable {
    /// The server's page on which the user signs in.
    public let url: URL
    /// The URL to which the server redirects the user.
    public let redirect: URL
    /// Tells this sign-in from others.
    let state: String
    /// Proves that the same program asks for the tokens.
    let verifier: String

    /// The server's page, without its secrets.
    public var description: String {
      LogText.line("a sign-in at \(Secrets.standard.redact(url.absoluteString.withoutQuery))")
    }
    /// A mirror that shows only the description.
    public var customMirror: Mirror { Mirror(self, children: ["authorization": description]) }
  }

  /// Begins a sign-in: returns the page to open. Each call begins another one.
  /// - Parameters:
  ///   - redirect: The URL to which the server redirects the user, as the server knows it for this client.
  ///   - parameters: Further parameters for the server, such as `prompt` or `audience`. Default: none.
  /// - Throws: `SignInError` (`invalidConfiguration`), without an authorization endpoint, or if it or the token endpoint is not
  ///   https.
  public func authorization(
    redirect: URL, parameters: KeyValuePairs<String, String> = [:]
  ) throws -> Authorization {
    var random = SystemRandomNumberGenerator()
    return try authorization(
      redirect: redirect, parameters: parameters.map { ($0.key, $0.value) }, using: &random)
  }

  func authorization(
    redirect: URL, parameters: [(String, String)] = [], using random: inout some RandomNumberGenerator
  ) throws(SignInError) -> Authorization {
    guard let authorizationURL else {
      throw SignInError(
        .invalidConfiguration, "the authorization endpoint is not known: set authorizationURL")
    }
    // The tokens could not be requested after the user has signed in.
    for (url, name) in [(authorizationURL, "authorization endpoint"), (tokenURL, OAuth2Endpoint.token)] {
      if let problem = OAuth2Endpoint.problem(url, name) { throw SignInError(.invalidConfiguration, problem) }
    }
    let (state, verifier) = (Self.secret(using: &random), Self.secret(using: &random))
    var items = [
      ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirect.absoluteString),
      ("state", state), ("code_challenge", Self.challenge(of: verifier)), ("code_challenge_method", "S256"),
    ]
    if let scope { items.append(("scope", scope)) }
    let text = authorizationURL.absoluteString.prefix { $0 != "#" }
    let separator = !text.contains("?") ? "?" : text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&"
    let query = (items + parameters).map { "\(PercentEncoding.query($0))=\(PercentEncoding.query($1))" }
    guard let url = URL(string: text + separator + query.joined(separator: "&")) else {
      throw SignInError(.invalidConfiguration, "the authorization endpoint has no valid URL")
    }
    return Authorization(url: url, redirect: redirect, state: state, verifier: verifier)
  }

  /// Returns 32 random bytes as text, which need no encoding in a URL (RFC 7636, section 4.1).
  private static func secret(using random: inout some RandomNumberGenerator) -> String {
    Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }).base64URL
  }

  /// RFC 7636, section 4.2.
  static func challenge(of verifier: String) -> String {
    Data(SHA256Digest(hashing: Data(verifier.utf8)).bytes).base64URL
  }

  /// Exchanges the code of a redirect for tokens.
  /// - Parameters:
  ///   - authorization: The sign-in that the redirect ends.
  ///   - url: The URL to which the server has redirected the user.
  ///   - client: The client that sends the request. Its credential is not sent.
  /// - Throws: `SignInError`, if the redirect or the server refuses the sign-in; `RequestError`, if the request failed.
  public func tokens(
    for authorization: Authorization, redirectedTo url: URL, over client: Client
  ) async throws -> Tokens {
    let code = try authorization.code(in: url.absoluteString, issuer: issuer)
    let request = try signInRequest(
      [
        ("grant_type", "authorization_code"), ("code", code),
        ("redirect_uri", authorization.redirect.absoluteString), ("code_verifier", authorization.verifier),
      ], to: tokenURL, OAuth2Endpoint.token)
    return try await SignInError.rethrowing {
      let response = try await send(request, over: client)
      return try tokens(from: response, at: client.date())
    }
  }
}

extension OAuth2.Authorization {
  /// Returns true if the redirect's state is that of this sign-in.
  func isEnded(by redirect: String) -> Bool {
    FormItems(queryOf: redirect)["state"].map { ASCII.areSame($0, state) } ?? false
  }

  /// Returns the code of a redirect.
  /// - Parameter issuer: The server's identifier, which the redirect must name (RFC 9207); nil if it need not.
  /// - Throws: `SignInError`, if the redirect is not for this sign-in, or has no code.
  func code(in redirect: String, issuer: String?) throws(SignInError) -> String {
    let items = FormItems(queryOf: redirect)
    guard !items.hasRepeated else {
      throw SignInError(.foreignRedirect, "the redirect has a parameter twice, so it is not the server's")
    }
    guard isEnded(by: redirect) else {
      throw SignInError(
        .foreignRedirect, "the redirect is not for this sign-in: its state is another, or is missing")
    }
    if let issuer, items["iss"].map({ ASCII.areSame($0, issuer) }) != true {
      throw SignInError(
        .foreignRedirect,
        "the redirect is from another server than \(issuer): its iss is another, or is missing")
    }
    if let error = items["error"] {
      guard error != "access_denied" else {
        throw SignInError(.denied, "the access was denied (access_denied)")
      }
      let shown = OAuth2Error.known.contains(error) ? error : "an unknown error"
      throw SignInError(.rejected, "the server refused the sign-in: \(shown)")
    }
    guard let code = items["code"], !code.isEmpty else {
      throw SignInError(.rejected, "the redirect has no code")
    }
    return code
  }
}

extension SignInError {
  /// Runs a part of a sign-in. Errors of endpoints become `SignInError`.
  static func rethrowing<Value>(
    _ code: Code = .rejected, _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch let error as OAuth2Error {
      throw SignInError(code, error.reason)
    }
  }
}

/// The names and values of a URL's query, which is form-encoded (RFC 6749, appendix B). Pure.
struct FormItems {
  private var values: [String: String] = [:]
  /// True if a name occurs more than once, which RFC 6749, section 3.1 forbids.
  private(set) var hasRepeated = false

  init(queryOf url: String) {
    let bytes = Array(url.utf8.prefix { $0 != UInt8(ascii: "#") })
    guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return }
    for item in bytes[(mark + 1)...].split(separator: UInt8(ascii: "&")) {
      let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = Self.decoded(parts[0])
      let old = values.updateValue(parts.count > 1 ? Self.decoded(parts[1]) : "", forKey: name)
      if old != nil { hasRepeated = true }
    }
  }

  subscript(name: String) -> String? { values[name] }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return String(decoding: URLBytes.decoded(String(decoding: spaced, as: UTF8.self)), as: UTF8.self)
  }
}

extension Data {
  /// The bytes in the alphabet for URLs, without padding (RFC 4648, section 5).
  var base64URL: String {
    String(
      decoding: base64EncodedString().utf8.compactMap { byte -> UInt8? in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "="): nil
        default: byte
        }
      }, as: UTF8.self)
  }
}

extension String {
  /// The URL up to its query.
  fileprivate var withoutQuery: String { String(prefix { $0 != "?" && $0 != "#" }) }
}
