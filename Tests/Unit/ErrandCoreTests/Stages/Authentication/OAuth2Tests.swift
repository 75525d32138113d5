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

/// A server that issues new tokens with each refresh, and accepts each refresh token once.
@Suite final class OAuth2Tests: Sendable {
  private struct Server: Sendable {
    var serial = 1
    var refreshes: [String] = []
  }

  private let server = Locked(Server())

  private func respond(_ request: StubRequest) -> StubStep {
    server.withLock { server in
      guard request.path == "/token" else {
        let isValid = request.fields["Authorization"] == "Bearer a\(server.serial)"
        return isValid ? .response(body: "here") : .response(status: 401)
      }
      let form = String(decoding: request.body, as: UTF8.self)
      server.refreshes.append(form)
      guard form.contains("refresh_token=r\(server.serial)") || form.contains("client_credentials") else {
        return .response(status: 400, body: #"{"error":"invalid_grant","error_description":"r\#(form)"}"#)
      }
      server.serial += 1
      let serial = server.serial
      return .response(
        body: #"{"access_token":"a\#(serial)","refresh_token":"r\#(serial)","expires_in":3600}"#)
    }
  }

  private func stage(_ session: CredentialSession<OAuth2>) -> Stage {
    Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(session)
    }.responding(respond)
  }

  private static func method(_ change: (inout OAuth2) -> Void = { _ in }) throws -> OAuth2 {
    var method = OAuth2(tokenURL: try #require(URL(string: "https://a.test/token")), clientID: "an app")
    change(&method)
    return method
  }

  private var refreshes: [String] { server.withLock { $0.refreshes } }

  @Test func `a refresh token is replaced by the one that its refresh returned`() async throws {
    let session = CredentialSession(
      try Self.method(), credential: OAuth2.Tokens(accessToken: "a0", refreshToken: "r1"))
    let stage = stage(session)
    #expect(try await stage.client.send(.get("me")).text == "here")
    await stage.clock.advance(by: .seconds(3595))
    #expect(try await stage.client.send(.get("me")).text == "here")
    #expect(
      refreshes == [
        "grant_type=refresh_token&refresh_token=r1&client_id=an+app",
        "grant_type=refresh_token&refresh_token=r2&client_id=an+app",
      ])
    // The token was about to expire, so it was refreshed before a server refused it.
    #expect(stage.paths == ["/me", "/token", "/me", "/token", "/me"])
  }

  @Test func `an invalid grant signs out, and no message shows a token`() async throws {
    let session = CredentialSession(
      try Self.method(), credential: OAuth2.Tokens(accessToken: "a0", refreshToken: "secret-token"))
    let stage = stage(session)
    for _ in 0..<2 {
      let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("me")) }
      #expect(error?.code == .signedOut)
      var dumped = ""
      dump(error, to: &dumped)
      #expect(!"\(String(describing: error)) \(dumped)".contains("secret-token"))
    }
    #expect(refreshes.count == 1)
    try await session.signIn(OAuth2.Tokens(accessToken: "a1"), identity: "me")
    #expect(try await stage.client.send(.get("me")).text == "here")
  }

  @Test func `client credentials are sent as the standard says, and need no sign-in`() async throws {
    let session = CredentialSession(
      try Self.method {
        $0.grant = .clientCredentials
        $0.clientSecret = "se:cret &"
        $0.scope = "read write"
      })
    let stage = stage(session)
    #expect(try await stage.client.send(.get("me")).text == "here")
    #expect(refreshes == ["grant_type=client_credentials&scope=read+write"])
    let field = stage.stub.requests.first { $0.path == "/token" }?.fields["Authorization"]
    #expect(field == "Basic \(Data("an+app:se%3Acret+%26".utf8).base64EncodedString())")
  }

  @Test func `a program's token is stored in a file for the next start`() async throws {
    let tokenURL = try #require(URL(string: "https://a.test/token"))
    try await TemporaryFolder.using { (folder: URL) async throws in
      let file = folder.appending(path: "token")
      for _ in 1...2 {
        let stage = Stage.configured { configuration in
          configuration.baseURL = URL(string: "http://a.test/")
          configuration.authentication = .oauth2(
            tokenURL: tokenURL, clientID: "app", clientSecret: "s3cret", scope: "read", store: .file(file))
        }.responding(respond)
        #expect(try await stage.client.send(.get("me")).text == "here")
      }
    }
    #expect(refreshes == ["grant_type=client_credentials&scope=read"])
  }

  @Test(arguments: ["scope", "client", "endpoint"])
  func `a stored token of another scope, client or token endpoint is not sent`(_ changed: String) async throws
  {
    try await TemporaryFolder.using { (folder: URL) async throws in
      let file = folder.appending(path: "token")
      for isChanged in [false, true] {
        func value(_ name: String, _ old: String, _ new: String) -> String {
          isChanged && changed == name ? new : old
        }
        let tokenURL = try #require(
          URL(string: value("endpoint", "https://a.test/token", "https://b.test/token")))
        // The origin that gets the token is not that of the base URL.
        let stage = Stage.configured { configuration in
          configuration.baseURL = URL(string: "http://base.test/")
          configuration.authentication = .oauth2(
            tokenURL: tokenURL, clientID: value("client", "app", "app2"), clientSecret: "s3cret",
            scope: value("scope", "read", "write"), store: .file(file),
            at: [URL(string: "http://a.test")].compactMap { $0 })
        }.responding(respond)
        #expect(try await stage.client.send(.get("http://a.test/me")).text == "here")
      }
    }
    #expect(refreshes.count == 2)
  }

  @Test(arguments: [#"{"expires_in":3600}"#, "no JSON", "", #"{"access_token":5}"#])
  func `a token response without tokens fails the request, and the error quotes no value`(body: String)
    async throws
  {
    let session = CredentialSession(
      try Self.method(), credential: OAuth2.Tokens(accessToken: "a0", refreshToken: "r1"))
    let stage = Stage.configured { configuration in
      configuration.authentication = Authentication(
        session, at: [URL(string: "http://a.test")].compactMap { $0 })
    }.responding { $0.path == "/token" ? .response(body: body) : .response(status: 401) }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/"))
    }
    #expect(error?.code == .refreshFailed)
    #expect(error?.message.hasSuffix("the token endpoint responded with 200 OK, and no tokens") == true)
  }

  @Test func `a redirect from the token endpoint is not followed`() async throws {
    let session = CredentialSession(
      try Self.method(), credential: OAuth2.Tokens(accessToken: "a0", refreshToken: "r1"))
    let stage = Stage.configured { configuration in
      configuration.authentication = Authentication(
        session, at: [URL(string: "http://a.test")].compactMap { $0 })
    }.responding { request in
      request.path == "/token"
        ? .response(status: 307, fields: ["Location": "http://evil.test/"]) : .response(status: 401)
    }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/"))
    }
    #expect(error?.code == .refreshFailed)
    #expect(!stage.stub.requests.contains { $0.url.host() == "evil.test" })
  }

  @Test func `tokens are found at the next start, and refreshed by only one of two processes`() async throws {
    try await TemporaryFolder.using { folder in
      let file = CredentialFile(at: folder.appending(path: "credential"))
      let first = CredentialSession(try Self.method(), store: file)
      try await first.signIn(OAuth2.Tokens(accessToken: "a0", refreshToken: "r1"), identity: "alice")
      let second = CredentialSession(try Self.method(), store: file)
      let (one, two) = (stage(first), stage(second))
      async let some = one.client.send(.get("me"))
      async let other = two.client.send(.get("me"))
      #expect(try await [some.text, other.text] == ["here", "here"])
      #expect(refreshes.count == 1)
      #expect(first.identity.text == "alice" && second.identity.text == "alice")
      try await first.signOut()
      let third = CredentialSession(try Self.method(), store: file)
      let error = await #expect(throws: RequestError.self) {
        try await stage(third).client.send(.get("me"))
      }
      #expect(error?.code == .signedOut)
    }
  }

  @Test func `a credential whose storing failed is stored before the next one is requested`() async throws {
    final class FullDisk: CredentialStore {
      let state = Locked((data: Data?.none, isFull: false))
      func read() async throws -> Data? { state.withLock { $0.data } }
      func write(_ data: Data) async throws {
        try state.withLock { state in
          if state.isFull { throw FileError(.write, "credential", "no space left on device") }
          state.data = data
        }
      }
      func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await body()
      }
    }
    let disk = FullDisk()
    let session = CredentialSession(try Self.method(), store: disk)
    try await session.signIn(OAuth2.Tokens(accessToken: "a0", refreshToken: "r1"), identity: "me")
    let stage = stage(session)
    disk.state.withLock { $0.isFull = true }
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("me")) }
    #expect(error?.code == .refreshFailed)
    #expect(error?.message.contains("no space left") == true)
    disk.state.withLock { $0.isFull = false }
    await stage.clock.advance(by: .seconds(1))
    #expect(try await stage.client.send(.get("me")).text == "here")
    // With the token of the first refresh, because the original one could not be used twice.
    #expect(refreshes.count == 1)
  }

  private func refreshed(by body: String, _ count: Int = 1) async throws -> [Result<String, any Error>] {
    let session = CredentialSession(
      try Self.method(), credential: OAuth2.Tokens(accessToken: "a0", refreshToken: "r1"))
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(session)
    }.responding { request in
      if request.path == "/token" { return .response(body: body) }
      return request.fields["Authorization"] == "Bearer a1" ? .response(body: "here") : .response(status: 401)
    }
    var results: [Result<String, any Error>] = []
    for _ in 0..<count {
      do {
        results.append(.success(try await stage.client.send(.get("me")).text))
      } catch {
        results.append(.failure(error))
      }
      await stage.clock.advance(by: .milliseconds(1))
    }
    return results
  }

  @Test(arguments: [
    #""soon""#, #""""#, "null", "true", "[3600]", "{}", "1e400", "1e308", "0", "-1", "-1e308", #""NaN""#,
    #""-inf""#,
    #""0""#, "5",
  ])
  func `tokens are accepted with any lifetime that a server gives`(lifetime: String) async throws {
    // With a lifetime that ends at once, each request renews the token, up to the limit of renewals.
    let results = try await refreshed(by: #"{"access_token":"a1","expires_in":\#(lifetime)}"#, 12)
    for result in results { #expect(try result.get() == "here") }
  }

  @Test(arguments: [
    #"{"access_token":""}"#, #"{"access_token":"a1\r\nX-Evil: 1"}"#, #"{"access_token":"a\u0000"}"#,
    #"{"access_token":"é"}"#, #"{"access_token":"a1","token_type":"mac"}"#,
    #"{"access_token":"a1","token_type":""}"#, #"{"access_token":"a1","token_type":"BearerMac"}"#,
  ])
  func `an unusable access token fails the refresh`(body: String) async throws {
    let error = await #expect(throws: RequestError.self) {
      try await refreshed(by: body)[0].get()
    }
    #expect(error?.code == .refreshFailed)
    #expect(error?.message.contains("the token endpoint issued a") == true)
    #expect(error?.message.contains("Evil") == false)
  }

  @Test(arguments: ["Bearer", "bearer", "BEARER", "BearerToken"])
  func `a bearer token is accepted in every usual spelling of its type`(type: String) async throws {
    #expect(try await refreshed(by: #"{"access_token":"a1","token_type":"\#(type)"}"#)[0].get() == "here")
  }

  @Test func `an empty refresh token does not replace the old one`() async throws {
    let session = CredentialSession(
      try Self.method(), credential: OAuth2.Tokens(accessToken: "a0", refreshToken: "r1"))
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(session)
    }.responding { request in
      guard request.path == "/token" else { return .response(status: 401) }
      return .response(body: #"{"access_token":"a1","refresh_token":""}"#)
    }
    for number in 0..<2 {
      await #expect(throws: RequestError.self) { try await stage.client.send(.get("me/\(number)")) }
      await stage.clock.advance(by: .seconds(1))
    }
    let bodies = stage.stub.requests.filter { $0.path == "/token" }.map {
      String(decoding: $0.body, as: UTF8.self)
    }
    #expect(bodies.count == 2 && bodies.allSatisfy { $0.contains("refresh_token=r1&") })
  }
}
