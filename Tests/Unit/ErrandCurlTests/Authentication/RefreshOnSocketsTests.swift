import ErrandAuthentication
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct RefreshOnSocketsTests {
  private let clock = VirtualClock()

  private func client(_ server: TokenServer, _ session: CredentialSession<OAuth2>) -> Client {
    var configuration = ClientConfiguration()
    configuration.baseURL = server.http.url
    configuration.authentication = Authentication(session)
    configuration.clock = clock
    configuration.timeout = .seconds(100)
    configuration.limits.perOrigin = 50
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  @Test func `two hundred requests that receive 401 at the same time cause one refresh of the credential`()
    async throws
  {
    let server = try TokenServer()
    let client = client(server, CredentialSession(server.method, credential: TokenServer.tokens))
    for round in 0..<2 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            let response = try await client.send(.get("me?\(number)").attempts(1))
            #expect(response.text == "\(number)")
          }
        }
        try await group.waitForAll()
      }
      #expect(server.refreshes.count == 1, "in round \(round)")
    }
    await client.shutdown()
  }

  @Test func `a hanging refresh ends after thirty seconds, and a later one works`() async throws {
    let server = try TokenServer { number, response in number == 1 ? (.stall, false) : (response, true) }
    let client = client(server, CredentialSession(server.method, credential: TokenServer.tokens))
    let calls = (0..<20).map { client.start(.get("me?\($0)").attempts(1)) }
    try await server.http.waitForRequests(21)
    try await reach { clock.ends.contains(clock.now.advanced(by: .seconds(30))) }
    await clock.advance(by: .seconds(30))
    for call in calls {
      let error = await #expect(throws: RequestError.self) { try await call.value }
      #expect(error?.code == .refreshFailed)
    }
    await clock.advance(by: .seconds(1))
    #expect(try await client.send(.get("me?x")).text == "x")
    #expect(server.refreshes.count == 2)
    await client.shutdown()
  }

  @Test func `a failed refresh fails the waiting requests, once`() async throws {
    let server = try TokenServer { number, response in
      number == 1 ? (.response(status: 503), false) : (response, true)
    }
    let client = client(server, CredentialSession(server.method, credential: TokenServer.tokens))
    let calls = (0..<20).map { client.start(.get("me?\($0)").attempts(1)) }
    var failed = 0
    for call in calls {
      do { _ = try await call.value } catch let error as RequestError where error.code == .refreshFailed {
        failed += 1
      }
    }
    #expect(failed > 0)
    #expect(server.refreshes.count <= 2)
    await client.shutdown()
  }

  @Test func `a late refresh has no effect after the sign-out`() async throws {
    try await TemporaryFolder.using { folder in
      let gate = ServerGate()
      let server = try TokenServer { _, response in
        gate.pass()
        return (response, true)
      }
      let file = CredentialFile(at: folder.appending(path: "credential"))
      let session = CredentialSession(server.method, store: file)
      try await session.signIn(TokenServer.tokens, identity: "alice")
      let client = client(server, session)
      let call = client.start(.get("me?x").attempts(1))
      try await server.http.waitForRequests(2)
      async let out: Void = session.signOut()
      let error = await #expect(throws: RequestError.self) { try await call.value }
      #expect(error?.code == .signedOut)
      gate.open()
      try await out
      let next = CredentialSession(server.method, store: file)
      let later = await #expect(throws: RequestError.self) {
        try await self.client(server, next).send(.get("me?x"))
      }
      #expect(later?.code == .signedOut)
      #expect(server.refreshes.count == 1)
      await client.shutdown()
    }
  }

  /// The server has replaced the refresh token, and no process has the new one. By RFC 9700, section 4.14.2,
  /// the old one is then refused: the identity has to sign in again. Servers that accept it for a while
  /// return the same tokens again.
  @Test(arguments: [false, true])
  func
    `a response that is lost after the server replaced the token signs out, unless the server grants a grace`(
      hasGrace: Bool
    ) async throws
  {
    let server = try TokenServer(hasGrace: hasGrace) { number, response in
      (number == 1 ? response.resetting(at: .start) : response, true)
    }
    let session = CredentialSession(server.method, credential: TokenServer.tokens)
    let client = client(server, session)
    let lost = await #expect(throws: RequestError.self) { try await client.send(.get("me?x").attempts(1)) }
    #expect(lost?.code == .refreshFailed)
    await clock.advance(by: .seconds(1))
    if hasGrace {
      #expect(try await client.send(.get("me?x").attempts(1)).text == "x")
    } else {
      let error = await #expect(throws: RequestError.self) { try await client.send(.get("me?x").attempts(1)) }
      #expect(error?.code == .signedOut)
      #expect(error?.message.contains("invalid_grant") == true)
    }
    #expect(server.refreshes.count == 2)
    await client.shutdown()
  }
}
