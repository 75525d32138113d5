import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A client whose server accepts one token at a time.
@Suite final class AuthenticationStageTests: Sendable {
  /// Tokens are numbers; the server at `/token` makes the next one valid.
  private struct Numbers: Authenticator {
    func authenticate(_ request: Request, with token: Int) -> Request { request.field("X-Token", "\(token)") }

    func refresh(_ token: Int?, _ refresh: CredentialRefresh) async throws -> Int {
      let response = try await refresh.send(.post("https://a.test/token"))
      guard let number = Int(response.text) else {
        throw CredentialRejected(reason: "no number")
      }
      return number
    }
  }

  private let valid = Locked(1)
  private let gate = StubGate()
  private let session = CredentialSession(Numbers(), credential: 0)

  private func stage(
    at origins: [String]? = ["http://a.test"],
    _ change: @escaping (inout ClientConfiguration) -> Void = { _ in },
    token: @escaping @Sendable (Int) -> StubStep = { .response(body: "\($0)") }
  ) -> Stage {
    Stage.configured { [session] configuration in
      configuration.authentication = Authentication(
        session, at: origins.map { $0.compactMap { URL(string: $0) } })
      change(&configuration)
    }.responding { request in
      guard request.path != "/token" else { return token(self.valid.withLock { $0 }) }
      let isValid = request.fields["X-Token"] == "\(self.valid.withLock { $0 })"
      return isValid ? .response(body: request.path) : .response(status: 401)
    }
  }

  private func refreshes(_ stage: Stage) -> Int { stage.paths.count { $0 == "/token" } }

  @Test func `a credential is refreshed once for two hundred requests`() async throws {
    let stage = stage { $0.limits.total = 20 }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let response = try await stage.client.send(.get("http://a.test/\(number)").attempts(1))
          #expect(response.text == "/\(number)")
          #expect(response.timing.attempts <= 2)
        }
      }
      try await group.waitForAll()
    }
    #expect(refreshes(stage) == 1)
    await stage.expectNothingLeft()
  }

  @Test func `a request is sent once more after a 401, and a second 401 is its outcome`() async throws {
    let stage = stage(token: { _ in .response(body: "7") })
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/").attempts(5))
    }
    #expect(error?.status == 401)
    #expect(stage.paths == ["/", "/token", "/"])
    let response = try await stage.client.send(.get("http://a.test/").acceptingAnyStatus())
    #expect(response.status == 401)
  }

  @Test func `a failed refresh fails the waiting requests, and a later request refreshes again`() async throws
  {
    let isWell = Locked(false)
    let stage = stage(token: { number in
      isWell.withLock { $0 } ? .response(body: "\(number)") : .response(status: 500)
    })
    for _ in 0..<2 {
      let error = await #expect(throws: RequestError.self) {
        try await stage.client.send(.get("http://a.test/"))
      }
      #expect(error?.code == .refreshFailed)
      #expect(error?.description.contains("500") == true)
      await stage.clock.advance(by: .seconds(1))
    }
    isWell.withLock { $0 = true }
    #expect(try await stage.client.send(.get("http://a.test/")).text == "/")
  }

  @Test func `a refresh continues when the requests that wait for it are cancelled`() async throws {
    let stage = stage(token: { [gate] in .response(body: "\($0)").behind(gate) })
    let call = stage.client.start(.get("http://a.test/"))
    try await stage.stub.waitForRequests(2)
    call.cancel()
    #expect(await call.result.requestError?.code == .cancelled)
    gate.open()
    await stage.reachIdle()
    #expect(try await stage.client.send(.get("http://a.test/")).text == "/")
    #expect(refreshes(stage) == 1)
  }

  @Test func `a hanging refresh ends after thirty seconds`() async throws {
    let stage = stage {
      $0.timeout = .seconds(100)
    } token: { [gate] in
      .response(body: "\($0)").behind(gate)
    }
    let call = stage.client.start(.get("http://a.test/"))
    await stage.reachSleep(of: .seconds(30))
    await stage.clock.advance(by: .seconds(30))
    let error = await call.result.requestError
    #expect(error?.code == .refreshFailed)
    await stage.expectNothingLeft()
  }

  @Test func `neither a refresh nor a request that waits for it takes a slot`() async throws {
    let stage = stage {
      $0.limits.total = 1
    } token: { [gate] in
      .response(body: "\($0)").behind(gate)
    }
    let calls = (0..<3).map { stage.client.start(.get("http://a.test/\($0)").attempts(1)) }
    // Each request has received its 401, and the refresh is in progress.
    try await stage.stub.waitForRequests(4)
    while stage.load != SlotLoad() { await Task.yield() }
    #expect(try await stage.client.send(.get("http://b.test/").acceptingAnyStatus()).status == 401)
    gate.open()
    for call in calls { #expect(await call.result.requestError == nil) }
    #expect(refreshes(stage) == 1)
  }

  @Test func `signing out cancels requests in flight, and fails others until the next sign-in`() async throws
  {
    valid.withLock { $0 = 0 }
    let stage = Stage.configured { [session] configuration in
      configuration.authentication = Authentication(session, at: [URL(string: "http://a.test")!])
    }.responding { [gate] _ in .response().behind(gate) }
    let call = stage.client.start(.get("http://a.test/"))
    try await stage.stub.waitForRequests(1)
    try await session.signOut()
    #expect(await call.result.requestError?.cancellation == .signedOut)
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/"))
    }
    #expect(error?.code == .signedOut)
    gate.open()
    try await session.signIn(3, identity: "me")
    try await stage.client.send(.get("http://a.test/"))
    #expect(stage.stub.requests.last?.fields["X-Token"] == "3")
  }

  @Test func `a credential is sent only to its origins`() async throws {
    let stage = stage()
    let other = try await stage.client.send(.get("http://b.test/").acceptingAnyStatus())
    #expect(other.status == 401)
    #expect(stage.stub.requests.map { $0.fields["X-Token"] } == [nil])
    #expect(refreshes(stage) == 0)
    let unknown = self.stage(at: nil)
    let error = await #expect(throws: RequestError.self) {
      try await unknown.client.send(.get("http://a.test/"))
    }
    #expect(error?.code == .invalidRequest)
    let below = self.stage(at: nil) { $0.baseURL = URL(string: "http://a.test/v1") }
    #expect(try await below.client.send(.get("users")).text == "/v1/users")
  }

  @Test func `a request that an interceptor sends to another origin gets the credential of that origin`()
    async throws
  {
    struct Elsewhere: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        try await next(
          .get(request.path == "/there" ? "http://a.test/" : "http://b.test/").acceptingAnyStatus())
      }
    }
    valid.withLock { $0 = 0 }
    let stage = stage { $0.interceptors = [Elsewhere()] }
    try await stage.client.send(.get("http://b.test/there"))
    try await stage.client.send(.get("http://a.test/back"))
    #expect(stage.stub.requests.map { $0.fields["X-Token"] } == ["0", nil])
  }

  @Test func `an authenticator may set a request's signer`() async throws {
    struct Signing: Authenticator {
      typealias Credential = NumberingSigner
      func authenticate(_ request: Request, with signer: Credential) -> Request { request.signed(by: signer) }
      func refresh(_ signer: Credential?, _ refresh: CredentialRefresh) -> Credential { NumberingSigner() }
    }
    let stage = Stage.configured { configuration in
      configuration.authentication = Authentication(
        CredentialSession(Signing(), credential: NumberingSigner()), at: [URL(string: "http://a.test")!])
    }.responding { _ in .response() }
    try await stage.client.send(.get("http://a.test/"))
    try await stage.client.send(.get("http://b.test/"))
    #expect(stage.stub.requests.map { $0.fields["X-Signature"] != nil } == [true, false])
  }

  @Test func `a 401 for a body that cannot be sent again is an error that says so`() async throws {
    let stage = stage()
    let body = RequestBody.stream(AsyncStream { $0.finish() }, contentType: "text/plain")
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.post("http://a.test/", body))
    }
    #expect(error?.code == .bodyNotReplayable)
    #expect(try await stage.client.send(.get("http://a.test/")).text == "/")
    #expect(refreshes(stage) == 1)
  }

  @Test func `a request that an interceptor sends during a refresh does not wait for that refresh`()
    async throws
  {
    final class Asking: Interceptor {
      let client = Locked<Client?>(nil)
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        if request.path == "/token", let client = client.withLock({ $0 }) {
          _ = try? await client.send(.get("http://a.test/config").attempts(1))
        }
        return try await next(request)
      }
    }
    let asking = Asking()
    let stage = stage { $0.interceptors = [asking] }
    asking.client.withLock { $0 = stage.client }
    defer { asking.client.withLock { $0 = nil } }
    #expect(try await stage.client.send(.get("http://a.test/")).text == "/")
    #expect(refreshes(stage) == 1)
  }

  @Test func `a response is shared only among requests of one identity`() async throws {
    valid.withLock { $0 = 0 }
    let stage = stage()
    let request = Request.get("http://a.test/").shared(within: .seconds(60))
    _ = try await (stage.client.send(request), stage.client.send(request))
    #expect(stage.paths.count == 1)
    try await session.signIn(0, identity: "me")
    try await stage.client.send(request)
    #expect(stage.paths.count == 2)
  }

  @Test func `no description shows a credential`() throws {
    let url = try #require(URL(string: "https://me:hush@a.test/token?token=hush"))
    var method = OAuth2(tokenURL: url, clientID: "app", clientSecret: "hush")
    method.scope = "all"
    let session = CredentialSession(method, credential: OAuth2.Tokens(accessToken: "hush"))
    let kinds: [Authentication] = [
      .bearer("hush"), .basic(user: "me", password: "hush"), .digest(user: "me", password: "hush"),
      .apiKey("hush"), Authentication(session),
    ]
    for kind in kinds {
      var configuration = ClientConfiguration()
      configuration.authentication = kind
      var dumped = ""
      dump(configuration, to: &dumped)
      dump(kind.session, to: &dumped)
      dump(method, to: &dumped)
      #expect(!"\(dumped) \(kind) \(session) \(method) \(String(reflecting: kind))".contains("hush"))
    }
  }
}
