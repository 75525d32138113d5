import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The pure parts of a sign-in. Expectations are from RFC 6749, RFC 7636, RFC 8252 and RFC 9207.
@Suite struct AuthorizationTests {
  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private func method(_ change: (inout OAuth2) throws -> Void = { _ in }) throws -> OAuth2 {
    var method = OAuth2(tokenURL: try url("https://a.test/token"), clientID: "an app", scope: "read write")
    method.authorizationURL = try url("https://a.test/authorize")
    try change(&method)
    return method
  }

  private func authorization(_ method: OAuth2, seed: UInt64 = 1) throws -> OAuth2.Authorization {
    var random = SeededRandom(seed: seed)
    return try method.authorization(
      redirect: try url("http://127.0.0.1:5000/callback"), parameters: [("prompt", "login & more")],
      using: &random)
  }

  private func code(_ query: String, issuer: String? = nil) throws -> Result<String, SignInError> {
    let authorization = try authorization(try method())
    let query = query.replacing("STATE", with: authorization.state)
    return Result { () throws(SignInError) in
      try authorization.code(in: "http://127.0.0.1:5000/callback?\(query)", issuer: issuer)
    }
  }

  @Test func `the challenge is the one of the standard's example`() {
    let challenge = OAuth2.challenge(of: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test func `the page's URL has the parameters of the standards`() throws {
    let authorization = try authorization(try method())
    let items = FormItems(queryOf: authorization.url.absoluteString)
    #expect(
      authorization.url.absoluteString.hasPrefix(
        "https://a.test/authorize?response_type=code&client_id=an%20app&"))
    #expect(items["redirect_uri"] == "http://127.0.0.1:5000/callback")
    #expect(items["scope"] == "read write" && items["prompt"] == "login & more")
    #expect(items["state"] == authorization.state && items["code_challenge_method"] == "S256")
    #expect(items["code_challenge"] == OAuth2.challenge(of: authorization.verifier))
    // RFC 7636, section 4.1: 43 to 128 unreserved characters.
    #expect(authorization.verifier.utf8.count == 43 && authorization.state != authorization.verifier)
    #expect(authorization.verifier.utf8.allSatisfy { URLBytes.isUnreserved($0) })
    #expect(!authorization.url.absoluteString.contains(authorization.verifier))
  }

  @Test func `each sign-in has another state and another verifier`() throws {
    let all = try (0..<20).map { try authorization(try method(), seed: UInt64($0)) }
    #expect(Set(all.flatMap { [$0.state, $0.verifier] }).count == 40)
  }

  @Test(arguments: [
    "https://a.test/authorize?tenant=x", "https://a.test/authorize?tenant=x&", "https://a.test/authorize?",
  ])
  func `the query of the endpoint stays`(endpoint: String) throws {
    let authorization = try authorization(try method { $0.authorizationURL = try url(endpoint) })
    let text = authorization.url.absoluteString
    #expect(
      text.contains("authorize?tenant=x&response_type=code") || text.contains("authorize?response_type=code"))
    #expect(!text.contains("&&") && !text.contains("??"))
  }

  @Test func `no description shows the state or the verifier`() throws {
    let authorization = try authorization(try method())
    var dumped = ""
    dump(authorization, to: &dumped)
    let text = "\(authorization) \(String(reflecting: authorization)) \(dumped)"
    for secret in [authorization.state, authorization.verifier] { #expect(!text.contains(secret)) }
  }

  // MARK: Redirects

  @Test(arguments: [
    "code=abc&state=STATE", "state=STATE&code=abc&session_state=x", "code=abc&state=STATE#fragment",
    "code=%61bc&state=STATE",
    "&code=abc&&state=STATE&",
  ])
  func `a redirect with the state has the code`(query: String) throws {
    #expect(try code(query).get() == "abc")
  }

  @Test(arguments: [
    ("", "foreignRedirect"), ("code=abc", "foreignRedirect"), ("code=abc&state=", "foreignRedirect"),
    ("code=abc&state=other", "foreignRedirect"), ("code=abc&state=STATEx", "foreignRedirect"),
    ("code=abc&state=STATE&state=STATE", "foreignRedirect"),
    ("code=abc&code=b&state=STATE", "foreignRedirect"),
    ("error=access_denied", "foreignRedirect"), ("error=access_denied&state=STATE", "denied"),
    ("error=server_error&state=STATE", "rejected"), ("error=%3Cscript%3E&state=STATE", "rejected"),
    ("state=STATE", "rejected"), ("code=&state=STATE", "rejected"),
    ("error=server_error&code=abc&state=STATE", "rejected"),
  ])
  func `a redirect that is refused says why`(query: String, expected: String) throws {
    guard case .failure(let error) = try code(query) else {
      Issue.record("it was accepted")
      return
    }
    #expect(error.code.description == expected)
    #expect(!error.description.contains("<script>") && !error.description.contains("abc"))
  }

  @Test func `the issuer must be the server's, if it is known`() throws {
    let issuer = "https://a.test"
    #expect(try code("code=abc&state=STATE&iss=https%3A%2F%2Fa.test", issuer: issuer).get() == "abc")
    #expect(try code("code=abc&state=STATE&iss=https%3A%2F%2Fb.test").get() == "abc")
    for query in [
      "code=abc&state=STATE", "code=abc&state=STATE&iss=https%3A%2F%2Fa.test%2F",
      "error=access_denied&state=STATE",
    ] {
      #expect(throws: SignInError.self) { try code(query, issuer: issuer).get() }
    }
  }

  // MARK: Endpoints

  @Test(arguments: [
    ("https://a.test/token", true), ("HTTPS://a.test/token", true), ("http://127.0.0.1:8080/token", true),
    ("http://[::1]/token", true), ("http://localhost:80/", true), ("http://LOCALHOST/", true),
    ("http://a.test/token", false),
    ("http://localhost.a.test/", false), ("http://127.0.0.1.a.test/", false), ("http://10.0.0.1/", false),
    ("ftp://a.test/", false), ("/token", false), ("http://a.test@127.0.0.1/", true),
    ("http://127.0.0.1@a.test/", false),
  ])
  func `an endpoint is https, or on this machine`(text: String, isAllowed: Bool) throws {
    #expect((OAuth2Endpoint.problem(try url(text), "token endpoint") == nil) == isAllowed)
  }

  @Test func `a refresh token is not sent over http`() async throws {
    let method = try method { $0.tokenURL = try url("http://a.test/token") }
    let session = CredentialSession(method, credential: OAuth2.Tokens(accessToken: "a", refreshToken: "r"))
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test")
      configuration.authentication = Authentication(session)
    }.responding { _ in .response(status: 401) }
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("me")) }
    #expect(error?.code == .refreshFailed && error?.message.contains("is not https") == true)
    #expect(stage.paths == ["/me"])
  }

  @Test func `a sign-in needs an authorization endpoint with https`() throws {
    for endpoint in [nil, "http://a.test/authorize"] {
      let method = try method { $0.authorizationURL = try endpoint.map(url) }
      let error = #expect(throws: SignInError.self) { try authorization(method) }
      #expect(error?.code == .invalidConfiguration)
    }
  }

  @Test func `a token endpoint without https ends the sign-in before the page is shown`() async throws {
    let bad = try method { $0.tokenURL = try url("http://a.test/token") }
    let error = #expect(throws: SignInError.self) { try authorization(bad) }
    #expect(error?.code == .invalidConfiguration && error?.message.contains("token endpoint") == true)
    let stage = Stage { _ in .response() }
    let begun = try authorization(try method())
    let redirected = try url("http://127.0.0.1:5000/callback?code=abc&state=\(begun.state)")
    let late = await #expect(throws: SignInError.self) {
      try await bad.tokens(for: begun, redirectedTo: redirected, over: stage.client)
    }
    #expect(late?.code == .invalidConfiguration && stage.stub.requests.isEmpty)
  }

  // MARK: Tokens

  @Test func `the code is exchanged for tokens with the verifier`() async throws {
    let stage = Stage { _ in .response(body: #"{"access_token":"a1","refresh_token":"r1","expires_in":"60"}"#)
    }
    let method = try method()
    let authorization = try authorization(method)
    let tokens = try await method.tokens(
      for: authorization,
      redirectedTo: try url("http://127.0.0.1:5000/callback?code=a%2Bb+c&state=\(authorization.state)"),
      over: stage.client)
    #expect(tokens.accessToken == "a1" && tokens.refreshToken == "r1")
    #expect(tokens.expiry == Date(timeIntervalSince1970: 1_000_060))
    #expect(stage.stub.requests.map(\.method) == [.post])
    #expect(
      stage.stub.requests.first?.text == "grant_type=authorization_code&code=a%2Bb+c"
        + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A5000%2Fcallback&code_verifier=\(authorization.verifier)"
        + "&client_id=an+app")
  }

  @Test func `a token endpoint that does not respond ends the sign-in after 30 s`() async throws {
    let stage = Stage.configured { $0.timeout = .seconds(100) }.responding { _ in .stall }
    let method = try method()
    let authorization = try authorization(method)
    let redirected = try url("http://127.0.0.1:5000/callback?code=abc&state=\(authorization.state)")
    let error = await #expect(throws: RequestError.self) {
      try await stage.clock.run {
        try await method.tokens(for: authorization, redirectedTo: redirected, over: stage.client)
      }
    }
    #expect(error?.code == .deadlineExceeded && stage.clock.now.offset == .seconds(30))
  }

  @Test func `a refused code is an error without secrets`() async throws {
    let stage = Stage { _ in
      .response(status: 400, body: #"{"error":"invalid_grant","error_description":"the code abc"}"#)
    }
    let method = try method { $0.clientSecret = "hush" }
    let authorization = try authorization(method)
    let redirected = try url("http://127.0.0.1:5000/callback?code=abc&state=\(authorization.state)")
    let error = await #expect(throws: SignInError.self) {
      try await method.tokens(for: authorization, redirectedTo: redirected, over: stage.client)
    }
    #expect(error?.code == .rejected)
    #expect(error?.message == "the token endpoint responded with 400 Bad Request and invalid_grant")
    #expect(stage.stub.requests.first?.fields["Authorization"]?.hasPrefix("Basic ") == true)
  }
}
