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
