import ErrandTesting
import TestSupport
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sign-outs that revoke the tokens (RFC 7009), and whether a session is signed in.
@Suite struct RevocationTests {
  private static func method(_ endpoint: String? = "https://a.test/revoke") throws -> OAuth2 {
    var method = OAuth2(tokenURL: try #require(URL(string: "https://a.test/token")), clientID: "app")
    method.revocationURL = endpoint.flatMap { URL(string: $0) }
    return method
  }

  private static let tokens = OAuth2.Tokens(accessToken: "a1", refreshToken: "r1")

  private func failure(_ stage: Stage, _ session: CredentialSession<OAuth2>) async -> (any Error)? {
    do {
      try await session.signOut(revokingOver: stage.client)
      return nil
    } catch { return error }
  }

  @Test func `both tokens are revoked, and the identity is signed out`() async throws {
    let session = CredentialSession(try Self.method(), credential: Self.tokens)
    let stage = Stage { _ in .response() }
    #expect(try await session.isSignedIn)
    #expect(await failure(stage, session) == nil)
    #expect(
      stage.stub.requests.map(\.text) == [
        "token=r1&token_type_hint=refresh_token&client_id=app",
        "token=a1&token_type_hint=access_token&client_id=app",
      ])
    #expect(try await !session.isSignedIn)
    // A second sign-out has nothing to revoke.
    #expect(await failure(stage, session) == nil)
    #expect(stage.stub.requests.count == 2)
  }

  @Test(arguments: [
    StubStep.fail(.cannotConnect, reachedServer: false), .response(status: 503), .response(status: 400),
  ])
  func `the identity is signed out although the server is away, and the error says so`(step: StubStep)
    async throws
  {
    let session = CredentialSession(try Self.method(), credential: Self.tokens)
    let stage = Stage { _ in step }
    let error = await failure(stage, session)
    #expect(error is SignInError || (error as? RequestError)?.code == .cannotConnect)
    if let error = error as? SignInError { #expect(error.code == .notRevoked) }
    #expect(try await !session.isSignedIn)
    #expect(error.map { "\($0)".contains("r1") } == false)
  }

  @Test func `the error names the endpoint and the status`() async throws {
    let session = CredentialSession(try Self.method(), credential: Self.tokens)
    let error = await failure(Stage { _ in .response(status: 500) }, session)
    #expect(
      (error as? SignInError)?.message
        == "the tokens were not revoked: the revocation endpoint responded with 500 Internal Server Error")
  }

  @Test func `a server that does not respond holds the sign-out for 30 s a token`() async throws {
    let session = CredentialSession(try Self.method(), credential: Self.tokens)
    let stage = Stage.configured { $0.timeout = .seconds(100) }.responding { _ in .stall }
    let error = await stage.clock.run { await failure(stage, session) }
    #expect((error as? RequestError)?.code == .deadlineExceeded)
    #expect(stage.stub.requests.count == 2 && stage.clock.now.offset == .seconds(60))
  }

  // MARK: Refreshes that are under way

  /// A stage whose token endpoint responds with this step, and whose other requests need a token.
  private func stage(_ session: CredentialSession<OAuth2>, token: StubStep) -> Stage {
    Stage.configured { configuration in
      configuration.baseURL = URL(string: "https://a.test")
      configuration.authentication = Authentication(session)
    }.responding { request in
      switch request.path {
      case "/token": token
      case "/revoke": .response()
      default: .response(status: 401)
      }
    }
  }

  private static let renewed = StubStep.response(body: #"{"access_token":"a2","refresh_token":"r2"}"#)

  /// The tokens that were revoked, in order.
  private func revoked(_ stage: Stage) -> [String] {
    stage.stub.requests.filter { $0.path == "/revoke" }.map { String($0.text.dropFirst(6).prefix(2)) }
  }

  @Test func `the tokens of a refresh that ends after the sign-out are revoked`() async throws {
    let (session, gate) = (CredentialSession(try Self.method(), credential: Self.tokens), StubGate())
    let stage = stage(session, token: Self.renewed.behind(gate))
    let call = stage.client.start(.get("me"))
    try await stage.stub.waitForRequests(2)
    async let out = failure(stage, session)
    // The known tokens are revoked at once.
    try await stage.stub.waitForRequests(4)
    gate.open()
    #expect(await out == nil)
    #expect(revoked(stage) == ["r1", "a1", "r2", "a2"])
    #expect(await call.result.requestError?.code == .signedOut)
    #expect(try await !session.isSignedIn && session.state.withLock { $0.renewals.isEmpty })
  }

  @Test func `the tokens of a refresh that a sign-in has overtaken are revoked as well`() async throws {
    let (session, gate) = (CredentialSession(try Self.method(), credential: Self.tokens), StubGate())
    let stage = stage(session, token: Self.renewed.behind(gate))
    let call = stage.client.start(.get("me"))
    try await stage.stub.waitForRequests(2)
    try await session.signIn(OAuth2.Tokens(accessToken: "a3"), identity: "ann")
    async let out = failure(stage, session)
    while revoked(stage).isEmpty { await Task.yield() }
    gate.open()
    #expect(await out == nil)
    #expect(revoked(stage) == ["a3", "r2", "a2"])
    _ = await call.result
  }

  @Test func `a refresh that ends without a response is an error of the sign-out`() async throws {
    let session = CredentialSession(try Self.method(), credential: Self.tokens)
    let stage = stage(session, token: .stall)
    let call = stage.client.start(.get("me"))
    try await stage.stub.waitForRequests(2)
    async let out = failure(stage, session)
    try await stage.stub.waitForRequests(4)
    await stage.clock.advance(by: .seconds(30))
    #expect((await out as? SignInError)?.code == .notRevoked)
    #expect(revoked(stage) == ["r1", "a1"])
    _ = await call.result
  }

  @Test func `a sign-out that waits for a refresh can be cancelled`() async throws {
    let (session, gate) = (CredentialSession(try Self.method(), credential: Self.tokens), StubGate())
    let stage = stage(session, token: Self.renewed.behind(gate))
    let call = stage.client.start(.get("me"))
    try await stage.stub.waitForRequests(2)
    let out = Task { await failure(stage, session) }
    try await stage.stub.waitForRequests(4)
    out.cancel()
    #expect(await out.value?.isCancellation == true)
    gate.open()
    _ = await call.result
  }

  @Test func `tokens that another session stores during the sign-out are revoked`() async throws {
    try await TemporaryFolder.using { folder in
      let file = CredentialFile(at: folder.appending(path: "credential"))
      let (first, second) = (
        CredentialSession(try Self.method(), store: file), CredentialSession(try Self.method(), store: file)
      )
      try await first.signIn(Self.tokens, identity: "ann")
      let gate = StubGate()
      let refreshing = stage(second, token: Self.renewed.behind(gate))
      let call = refreshing.client.start(.get("me"))
      // The refresh holds the store's lock.
      try await refreshing.stub.waitForRequests(2)
      let stage = stage(first, token: .stall)
      async let out = failure(stage, first)
      while !first.state.withLock({ $0.rules.isSignedOut }) { await Task.yield() }
      gate.open()
      #expect(await out == nil)
      #expect(Set(revoked(stage)) == ["r1", "a1", "r2", "a2"])
      #expect(try await !second.isSignedIn)
      _ = await call.result
    }
  }

  @Test func `an outcome of a refresh says which tokens may be valid`() throws {
    typealias Outcome = AuthenticationState<String>.Outcome
    func failed(_ underlying: RequestError) -> Outcome {
      .failed(RequestError(.refreshFailed, message: "", reachedServer: false, underlying: underlying))
    }
    #expect(try Outcome.renewed("a", isExpired: true).brought.get() == "a")
    #expect(try Outcome.found("a").brought.get() == "a")
    let refused = RequestError(.cannotConnect, message: "", reachedServer: false)
    #expect(try failed(refused).brought.get() == nil)
    #expect(try Outcome.final(refused).brought.get() == nil)
    for code in [RequestError.Code.connectionLost, .timedOut] {
      let lost = RequestError(code, message: "", reachedServer: true)
      #expect(throws: SignInError.self) { try failed(lost).brought.get() }
    }
    let rejected = RequestError(.rejected, message: "", status: 503, reachedServer: true)
    #expect(try failed(rejected).brought.get() == nil)
  }

  // MARK: Other sign-outs

  @Test func `a server that revokes only refresh tokens is no failure`() async throws {
    let session = CredentialSession(try Self.method(), credential: Self.tokens)
    let stage = Stage { request in
      request.text.contains("refresh_token")
        ? .response() : .response(status: 400, body: #"{"error":"unsupported_token_type"}"#)
    }
    #expect(await failure(stage, session) == nil)
    let alone = CredentialSession(try Self.method(), credential: OAuth2.Tokens(accessToken: "a1"))
    #expect((await failure(stage, alone) as? SignInError)?.code == .notRevoked)
  }

  @Test(arguments: [nil, "http://a.test/revoke"])
  func `without an endpoint with https nothing is sent, and the identity is signed out`(endpoint: String?)
    async throws
  {
    let session = CredentialSession(try Self.method(endpoint), credential: Self.tokens)
    let stage = Stage { _ in .response() }
    #expect((await failure(stage, session) as? SignInError)?.code == .invalidConfiguration)
    #expect(stage.stub.requests.isEmpty)
    #expect(try await !session.isSignedIn)
  }

  @Test func `a client with the session sends the revocation without the credential`() async throws {
    let session = CredentialSession(try Self.method(), credential: Self.tokens)
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "https://a.test")
      configuration.authentication = Authentication(session)
    }.responding { _ in .response() }
    #expect(await failure(stage, session) == nil)
    #expect(stage.stub.requests.count == 2)
    #expect(stage.stub.requests.allSatisfy { !$0.fields.contains("Authorization") })
  }

  @Test func `a session knows from its store whether it is signed in`() async throws {
    try await TemporaryFolder.using { folder in
      let file = CredentialFile(at: folder.appending(path: "credential"))
      let (first, second) = (
        CredentialSession(try Self.method(), store: file), CredentialSession(try Self.method(), store: file)
      )
      #expect(try await !first.isSignedIn)
      try await first.signIn(Self.tokens, identity: "ann")
      #expect(try await first.isSignedIn)
      #expect(try await second.isSignedIn)
      try await second.signOut()
      #expect(try await !first.isSignedIn)
      #expect(try await !second.isSignedIn)
    }
  }

  @Test func `a session without a first credential is not signed in`() async throws {
    #expect(try await !CredentialSession(try Self.method()).isSignedIn)
  }

  @Test func `a rejected refresh token ends the sign-in`() async throws {
    let session = CredentialSession(try Self.method(), credential: Self.tokens)
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "https://a.test")
      configuration.authentication = Authentication(session)
    }.responding { request in
      request.path == "/token"
        ? .response(status: 400, body: #"{"error":"invalid_grant"}"#) : .response(status: 401)
    }
    await #expect(throws: RequestError.self) { try await stage.client.send(.get("me")) }
    #expect(try await !session.isSignedIn)
  }
}
