import ErrandCookies
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

/// Names that Swift's strings treat as equal although their bytes differ: `é` as one scalar and as two.
@Suite(.timeLimit(.minutes(1))) struct ExactBytesTests {
  private let one = "Ren\u{E9}"
  private let two = "Rene\u{301}"

  /// The token is the identity's name.
  private struct Names: Authenticator {
    func authenticate(_ request: Request, with name: String) -> Request { request.field("X-Token", name) }
    func refresh(_ name: String?, _ refresh: CredentialRefresh) async throws -> String {
      try await refresh.send(.post("http://a.test/token")).text
    }
  }

  @Test func `the two names are equal as strings`() {
    #expect(one == two)
    #expect(ExactBytes(one) != ExactBytes(two))
    #expect(ExactBytes(one) == ExactBytes("Ren\u{E9}"))
    #expect(Set([ExactBytes(one), ExactBytes(two)]).count == 2)
  }

  // MARK: Identities

  @Test func `a waiting POST of one user is not sent with the token of another`() async throws {
    let gate = StubGate()
    let session = CredentialSession(Names(), credential: "first", identity: one)
    let stage = Stage.configured {
      $0.authentication = Authentication(session, at: [URL(string: "http://a.test")!])
    }.responding { request in
      request.path == "/token" ? .response(body: "late").behind(gate) : .response(status: 401)
    }
    let call = stage.client.start(.post("http://a.test/order", .text("of the first")))
    // It waits for a refresh.
    try await stage.stub.waitForRequests(2)
    try await session.signIn("second", identity: two)
    #expect(await call.result.requestError?.cancellation == .signedOut)
    gate.open()
    await stage.reachIdle()
    #expect(stage.stub.requests.filter { $0.fields["X-Token"] == "second" }.isEmpty)
  }

  @Test(arguments: [false, true])
  func `two users share nothing`(isCached: Bool) async throws {
    let user = Locked("")
    let stage = Stage.configured { $0.identity = { user.withLock { $0 } } }
      .responding { .response(body: "\($0.index)") }
    let get = Request.get("http://a.test/me")
    let request = isCached ? get.cached(as: "me") : get.shared(within: .seconds(9), key: "me")
    for (index, name) in [one, two].enumerated() {
      user.withLock { $0 = name }
      #expect(try await stage.client.send(request).text == "\(index)")
    }
    await stage.settle()
  }

  @Test func `a name never equals another name with options`() async throws {
    let user = Locked("ann")
    let stage = Stage.configured { $0.identity = { user.withLock { $0 } } }
      .responding { .response(body: "\($0.index)") }
    let request = Request.get("http://a.test/me").cached(as: "me")
    let limited = request.redirects(RedirectPolicy(limit: 3))
    #expect(try await stage.client.send(limited).text == "0")
    let identity = RequestIdentity(client: ClientIdentity({ "ann" }, nil)).present(limited, in: .caching)
    // That is another user, whose name looks like ann's with her options.
    let other = try #require(identity.text)
    user.withLock { $0 = other }
    #expect(try await stage.client.send(request).text == "1")
    let both = ClientIdentity({ "a" }, DigestSession(user: "b", password: "", protectsBody: false))
    let alone = ClientIdentity(
      { nil }, DigestSession(user: try #require(both.present.text), password: "", protectsBody: false))
    #expect(both.present.text != alone.present.text)
  }

  @Test func `two users have separate cookies`() {
    let store = CookieStore()
    let url = URL(string: "https://a.test/")!
    for name in [one, two] {
      let fields: HTTPFields = ["Set-Cookie": "user=\(name.utf8.count)"]
      store.partition(for: name).take(fields, from: url, at: Date())
    }
    #expect(store.partition(for: one).field(for: url, at: Date()) == "user=5")
    #expect(store.partition(for: two).field(for: url, at: Date()) == "user=6")
  }

  // MARK: Keys

  @Test func `two names of cached responses are different keys`() async throws {
    #expect(CacheKey(one) != CacheKey(two))
    #expect(CacheRule(one, .first) != CacheRule(two, .first))
    let stage = Stage { .response(body: "\($0.index)") }
    let get = Request.get("http://a.test/")
    #expect(try await stage.client.send(get.cached(as: one)).text == "0")
    #expect(try await stage.client.send(get.cached(as: two)).text == "1")
    #expect(try await stage.client.send(get.cached(as: one)).text == "0")
  }

  @Test func `two request keys are different`() async throws {
    #expect(RequestKey(one) != RequestKey(two))
    #expect(RequestKey(one) == RequestKey(one))
    #expect("\(RequestKey(one))" == "a chosen key (String)")
    let stage = Stage { .response(body: "\($0.index)") }
    let get = Request.get("http://a.test/")
    #expect(try await stage.client.send(get.shared(within: .seconds(9), key: RequestKey(one))).text == "0")
    #expect(try await stage.client.send(get.shared(within: .seconds(9), key: RequestKey(two))).text == "1")
    let post = Request.post("http://a.test/", .text("1"))
    for type in [one, two] {
      try await stage.client.send(post.field("Content-Type", "text/plain; by=\(type)").ignoringRepeats())
    }
    await stage.settle()
  }

  @Test func `two values of a field are different`() {
    #expect(HTTPFields(dictionaryLiteral: ("X", one)) != HTTPFields(dictionaryLiteral: ("X", two)))
    #expect(Set([HTTPFields.Field("X", one), HTTPFields.Field("x", two)]).count == 2)
  }

  @Test(arguments: [("ETag", "If-None-Match", "\""), ("Last-Modified", "If-Modified-Since", "")])
  func `a 304 for another version renews nothing`(field: String, condition: String, quote: String) {
    let kept = CachedResponse(
      status: 200, fields: HTTPFields(dictionaryLiteral: (field, quote + one + quote)), data: Data(),
      url: URL(string: "http://a.test/")!, date: Date())
    func renewed(_ news: HTTPFields, _ asked: HTTPFields) -> Bool {
      kept.renewed(by: news, to: asked, date: Date(), secrets: Secrets()) != nil
    }
    let other = quote + two + quote
    #expect(!renewed(HTTPFields(dictionaryLiteral: (field, other)), [:]))
    #expect(!renewed([:], HTTPFields(dictionaryLiteral: (condition, other))))
    #expect(renewed([:], HTTPFields(dictionaryLiteral: (condition, quote + one + quote))))
  }

  // MARK: Files

  @Test func `downloads to two files do not wait for each other`() async throws {
    try await TemporaryFolder.using { folder in
      let gate = StubGate()
      let stage = Stage { $0.index == 0 ? .response(body: "1").behind(gate) : .response(body: "2") }
      let files = [one, two].map { folder.appending(path: $0) }
      let first = Task { [one = files[0]] in
        try await stage.client.download(.get("http://a.test/1"), to: one, resume: true)
      }
      try await stage.stub.waitForRequests(1)
      try await stage.client.download(.get("http://a.test/2"), to: files[1], resume: true)
      gate.open()
      _ = try await first.value
      #expect(try files.map { try Data(contentsOf: $0) } == [Data("1".utf8), Data("2".utf8)])
    }
  }
}
