import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

/// Two users never share a response and never cancel each other's requests, whatever the key.
@Suite struct TwoUsersTests {
  /// The same request as each of two users sends it.
  struct Pair: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let alice: Request
    let bob: Request
  }

  private static let url = "http://a.test/me"

  private static let pairs = [
    Pair(
      testDescription: "bearer tokens", alice: .get(url).bearer("alice"), bob: .get(url).bearer("bob")),
    Pair(testDescription: "a user and an anonymous caller", alice: .get(url).bearer("alice"), bob: .get(url)),
    Pair(
      testDescription: "cookies", alice: .get(url).field("Cookie", "alice"),
      bob: .get(url).field("Cookie", "bob")),
    Pair(
      testDescription: "secret fields", alice: .get(url).field("X-Session", "alice", isSecret: true),
      bob: .get(url).field("X-Session", "bob", isSecret: true)),
    Pair(
      testDescription: "fields that the client names", alice: .get(url).field("X-Key", "alice"),
      bob: .get(url).field("x-key", "bob")),
    Pair(
      testDescription: "tokens in the query", alice: .get(url, query: ["token": "alice"]),
      bob: .get(url, query: ["token": "bob"])),
    Pair(
      testDescription: "encoded names of tokens", alice: .get("\(url)?to%6Ben=alice"),
      bob: .get("\(url)?to%6Ben=bob")),
    Pair(
      testDescription: "users of the URL", alice: .get("http://alice:1@a.test/me"),
      bob: .get("http://bob:1@a.test/me")),
    Pair(
      testDescription: "passwords of the URL", alice: .get("http://us:alice@a.test/me"),
      bob: .get("http://us:bob@a.test/me")),
  ]

  /// Returns a stage whose responses repeat the URL and the credentials of the request.
  private func stage(_ gate: StubGate? = nil) -> Stage {
    Stage.configured { $0.secrets.fields = ["X-Key"] }.responding { request in
      let fields = ["Authorization", "Cookie", "X-Session", "X-Key"].map { request.fields[$0] ?? "" }
      let step = StubStep.response(body: "\(request.url) \(fields)")
      return gate.map(step.behind) ?? step
    }
  }

  @Test(arguments: pairs)
  func `two users do not share a request`(pair: Pair) async throws {
    let stage = stage()
    func shared(_ request: Request) -> Request { request.shared(within: .seconds(9), key: "me") }
    let alice = try await stage.client.send(shared(pair.alice)).text
    let bob = try await stage.client.send(shared(pair.bob)).text
    #expect(alice != bob)
    #expect(try await stage.client.send(shared(pair.alice)).text == alice)
    #expect(stage.stub.requests.count == 2)
  }

  @Test(arguments: pairs)
  func `two users' requests are not repeats of each other`(pair: Pair) async throws {
    let stage = stage()
    try await stage.client.send(pair.alice.ignoringRepeats(key: "me"))
    try await stage.client.send(pair.bob.ignoringRepeats(key: "me"))
    await #expect(throws: RequestError.self) {
      try await stage.client.send(pair.alice.ignoringRepeats(key: "me"))
    }
  }

  @Test(arguments: pairs)
  func `two users' requests do not supersede each other`(pair: Pair) async throws {
    let gate = StubGate()
    let stage = stage(gate)
    let calls = [pair.alice, pair.bob].map { stage.client.start($0.latest("me")) }
    try await stage.stub.waitForRequests(2)
    gate.open()
    for call in calls { _ = try await call.value }
  }

  @Test(arguments: pairs)
  func `two users do not get each other's cached responses`(pair: Pair) async throws {
    let stage = stage()
    let alice = try await stage.client.send(pair.alice.cached(as: "me")).text
    #expect(try await stage.client.send(pair.bob.cached(as: "me")).text != alice)
    #expect(try await stage.client.cachedResponse(to: pair.alice.cached(as: "me"))?.text == alice)
    #expect(stage.stub.requests.count == 2)
  }

  /// The user for whom the client acts.
  private final class Session: Sendable {
    private let state = Locked("alice")
    var user: String {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  @Test func `the identity of the client's user also keeps users apart`() async throws {
    let session = Session()
    let stage = Stage.configured { $0.identity = { session.user } }.responding {
      .response(body: "\($0.index)")
    }
    let shared = Request.get(Self.url).shared(within: .seconds(9), key: "me")
    let kept = Request.get(Self.url).cached(as: "me")
    #expect(try await stage.client.send(shared).text == "0")
    #expect(try await stage.client.send(kept).text == "1")
    session.user = "bob"
    #expect(try await stage.client.send(shared).text == "2")
    #expect(try await stage.client.cachedResponse(to: kept) == nil)
    #expect(try await stage.client.send(kept).text == "3")
    session.user = "alice"
    #expect(try await stage.client.send(shared).text == "0")
    #expect(try await stage.client.send(kept).text == "1")
  }

  @Test(arguments: [
    CachePolicy.networkOnly, .first, .staleWhileRevalidate, .staleIfError, .maxAge(.seconds(9)),
  ])
  func `a response belongs to the user at the time of the request`(policy: CachePolicy) async throws {
    let (session, gate) = (Session(), StubGate())
    let stage = Stage.configured { $0.identity = { session.user } }.responding {
      .response(body: "\($0.index)").behind(gate)
    }
    let request = Request.get(Self.url).cached(as: "me", policy)
    let call = stage.client.start(request)
    try await stage.stub.waitForRequests(1)
    session.user = "bob"
    gate.open()
    #expect(try await call.value.text == "0")
    #expect(try await stage.client.cachedResponse(to: request) == nil)
    session.user = "alice"
    #expect(try await stage.client.cachedResponse(to: request)?.text == "0")
  }
}
