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

/// One client with several users, one after the other.
@Suite struct IdentityTests {
  /// The token is the user's name; `/token` renews it.
  private struct Names: Authenticator {
    func authenticate(_ request: Request, with name: String) -> Request { request.field("X-User", name) }

    func refresh(_ name: String?, _ refresh: CredentialRefresh) async throws -> String {
      let response = try await refresh.send(.post("https://a.test/token"))
      return response.text
    }
  }

  private let session = CredentialSession(Names(), credential: "alice", identity: "alice")
  private let gate = StubGate()

  private func stage(
    _ respond: @escaping @Sendable (StubRequest) -> StubStep = {
      .response(body: "of \($0.fields["X-User"] ?? "nobody")")
    }, configured change: @escaping (inout ClientConfiguration) -> Void = { _ in }
  ) -> Stage {
    Stage.configured { [session] configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(session)
      change(&configuration)
    }.responding(respond)
  }

  private let feed = Request.get("feed").cached(as: "feed")

  @Test func `an identity requires a name`() async throws {
    let error = await #expect(throws: RequestError.self) { try await session.signIn("bob", identity: "") }
    #expect(error?.code == .invalidRequest)
    #expect(session.identity.text == "alice")
  }

  // MARK: Calls

  @Test func `a call that waits for its next attempt is not sent for the next identity`() async throws {
    let stage = stage { request in
      request.index == 0 ? .response(status: 503) : .response(body: "of \(request.fields["X-User"] ?? "")")
    }
    var policy = RetryPolicy.attempts(3)
    policy.backoff = .seconds(10)
    let call = stage.client.start(.get("x").retry(policy))
    try await stage.stub.waitForRequests(1)
    while stage.clock.sleepers == 0 { await Task.yield() }
    try await session.signIn("bob", identity: "bob")
    while stage.client.pipeline.inFlight.count > 0 {
      await stage.clock.advance(by: .seconds(10))
      await Task.yield()
    }
    #expect(await call.result.requestError?.cancellation == .signedOut)
    #expect(stage.stub.requests.count == 1)
  }

  @Test func `a call that waits for a refresh is not sent for the next identity`() async throws {
    let stage = stage { [gate] request in
      request.path == "/token" ? .response(body: "new").behind(gate) : .response(status: 401)
    }
    let call = stage.client.start(.get("x"))
    try await stage.stub.waitForRequests(2)
    try await session.signIn("bob", identity: "bob")
    #expect(await call.result.requestError?.cancellation == .signedOut)
    gate.open()
    await stage.reachIdle()
    #expect(stage.paths == ["/x", "/token"])
    // The late refresh does not give bob a credential.
    #expect(session.identity.text == "bob")
    _ = try? await stage.client.send(.get("x"))
    #expect(stage.stub.requests.contains { $0.fields["X-User"] == "bob" })
  }

  @Test
  func `a call that waits for a refresh continues with the credential that the same identity signs in with`()
    async throws
  {
    let stage = stage { [gate] request in
      switch request.path {
      case "/token": .response(body: "late").behind(gate)
      default: request.fields["X-User"] == "second" ? .response(body: "here") : .response(status: 401)
      }
    }
    let call = stage.client.start(.get("x"))
    try await stage.stub.waitForRequests(2)
    try await session.signIn("second", identity: "alice")
    #expect(await call.result.text == "here")
    gate.open()
    await stage.reachIdle()
  }

  @Test func `a request in flight is cancelled when another identity signs in`() async throws {
    let stage = stage { [gate] _ in .response().behind(gate) }
    let call = stage.client.start(.get("x"))
    try await stage.stub.waitForRequests(1)
    try await session.signIn("bob", identity: "bob")
    #expect(await call.result.requestError?.cancellation == .signedOut)
    gate.open()
  }

  @Test func `a call that waits for the sign-in is sent for the identity that signs in`() async throws {
    try await session.signOut()
    let stage = stage { [gate] request in
      request.path == "/login"
        ? .response().behind(gate) : .response(body: "of \(request.fields["X-User"] ?? "")")
    }
    let login = stage.client.start(Request.get("login").unauthenticated())
    let call = stage.client.start(feed.after(login))
    try await stage.stub.waitForRequests(1)
    try await session.signIn("bob", identity: "bob")
    gate.open()
    #expect(await call.result.text == "of bob")
  }

  // MARK: Caches

  @Test func `a response that was cached for one identity is not returned to another, nor without one`()
    async throws
  {
    let stage = stage()
    #expect(try await stage.client.send(feed).text == "of alice")
    try await session.signIn("bob", identity: "bob")
    #expect(try await stage.client.send(feed).text == "of bob")
    try await session.signOut()
    #expect(try await stage.client.cachedResponse(to: feed) == nil)
    try await session.signIn("alice 2", identity: "alice")
    #expect(try await stage.client.send(feed).text == "of alice")
    #expect(stage.stub.requests.count == 2)
  }

  @Test(arguments: [false, true])
  func `signing out clears the responses that were cached for the identity, if requested`(isOnDisk: Bool)
    async throws
  {
    try await TemporaryFolder.using { folder in
      let cache: any ResponseCache =
        isOnDisk ? DiskResponseCache(folder: folder.appending(path: "cache")) : MemoryResponseCache()
      let stage = stage(configured: { $0.cache = cache })
      let plain = Request.get("http://b.test/").cached(as: "other")
      for name in ["alice", "bob"] {
        try await session.signIn(name, identity: name)
        try await stage.client.send(feed)
        try await stage.client.send(feed.field("Accept", "text/plain"))
        try await stage.client.send(plain)
      }
      try await cache.write(
        CachedResponse.sample(), under: CacheKey("of the app's own"))
      #expect(try await cache.list().count == 7)
      try await session.signOut()
      #expect(try await cache.list().count == 7)
      try await session.signIn("alice", identity: "alice")
      try await session.signOut(clearingCache: true)
      #expect(try await cache.list().count == 4)
      try await session.signIn("bob", identity: "bob")
      #expect(try await stage.client.send(feed).text == "of bob")
      #expect(stage.stub.requests.count == 6)
    }
  }

  @Test func `a response that arrives while its identity signs out is not cached`() async throws {
    final class Slow: ResponseCache {
      let inner: any ResponseCache = MemoryResponseCache()
      let gate = StubGate()
      func salt() async throws -> Data { try await inner.salt() }
      func read(_ key: CacheKey) async throws -> CachedResponse? { try await inner.read(key) }
      func write(_ response: CachedResponse, under key: CacheKey) async throws {
        try await gate.pass()
        try await inner.write(response, under: key)
      }
      func remove(_ key: CacheKey) async throws { try await inner.remove(key) }
      func list() async throws -> [CacheEntry] { try await inner.list() }
      func clear() async throws { try await inner.clear() }
    }
    let cache = Slow()
    let stage = stage(configured: { $0.cache = cache })
    async let response = stage.client.send(feed)
    try await stage.stub.waitForRequests(1)
    await stage.reachIdle()
    try await session.signOut(clearingCache: true)
    cache.gate.open()
    _ = try? await response
    #expect(try await cache.list().isEmpty)
  }

  @Test func `a failure to clear the cache is an error, and the identity is signed out nevertheless`()
    async throws
  {
    struct Broken: ResponseCache {
      struct Failure: Error {}
      func salt() async throws -> Data { throw Failure() }
      func read(_ key: CacheKey) async throws -> CachedResponse? { nil }
      func write(_ response: CachedResponse, under key: CacheKey) async throws {}
      func remove(_ key: CacheKey) async throws {}
      func list() async throws -> [CacheEntry] { [] }
      func clear() async throws {}
    }
    let stage = stage(configured: { $0.cache = Broken() })
    await #expect(throws: Broken.Failure.self) { try await session.signOut(clearingCache: true) }
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
    #expect(error?.code == .signedOut)
  }

  // MARK: Cookies

  @Test func `cookies that arrive after the sign-out stay with the identity of their request`() async throws {
    let cookies = CookieStore()
    let stage = stage { request in
      .response(fields: ["Set-Cookie": "of=\(request.fields["X-User"] ?? "")"])
    } configured: {
      $0.cookies = cookies
    }
    try await stage.client.send(.get("x"))
    try await session.signIn("bob", identity: "bob")
    try await stage.client.send(.get("x"))
    #expect(stage.stub.requests.map { $0.fields["Cookie"] } == [nil, nil])
    #expect(cookies.partition(for: "alice").cookies.map(\.value) == ["alice"])
    #expect(cookies.partition(for: "bob").cookies.map(\.value) == ["bob"])
  }

  // MARK: Stores

  @Test func `the first request of a process has the identity that the store names`() async throws {
    try await TemporaryFolder.using { folder in
      let file = CredentialFile(at: folder.appending(path: "credential"))
      let cache = MemoryResponseCache()
      let cookies = CookieStore()
      for start in 0..<2 {
        let session = CredentialSession(Names(), store: file)
        if start == 0 { try await session.signIn("alice", identity: "alice") }
        let stage = stage { _ in
          .response(fields: ["Set-Cookie": "a=b"], body: "\(start)")
        } configured: {
          $0.authentication = Authentication(session)
          $0.cache = cache
          $0.cookies = cookies
        }
        try await withThrowingTaskGroup(of: String.self) { group in
          for _ in 0..<20 { group.addTask { try await stage.client.send(self.feed).text } }
          for try await text in group { #expect(text == "0") }
        }
        try await stage.client.send(.get("other"))
        #expect(stage.stub.requests.last?.fields["Cookie"] == "a=b")
      }
    }
  }

  @Test func `a refresh that ends after the sign-out stores nothing`() async throws {
    try await TemporaryFolder.using { folder in
      let file = CredentialFile(at: folder.appending(path: "credential"))
      let session = CredentialSession(Names(), store: file)
      try await session.signIn("old", identity: "alice")
      let stage = stage { [gate] request in
        request.path == "/token" ? .response(body: "late").behind(gate) : .response(status: 401)
      } configured: {
        $0.authentication = Authentication(session)
      }
      let call = stage.client.start(.get("x"))
      try await stage.stub.waitForRequests(2)
      async let out: Void = session.signOut()
      #expect(await call.result.requestError?.code == .signedOut)
      gate.open()
      try await out
      let stored = try #require(try await file.read())
      #expect(!String(decoding: stored, as: UTF8.self).contains(Data("\"late\"".utf8).base64EncodedString()))
      let next = CredentialSession(Names(), store: file)
      let later = self.stage(configured: { $0.authentication = Authentication(next) })
      let error = await #expect(throws: RequestError.self) { try await later.client.send(.get("x")) }
      #expect(error?.code == .signedOut)
    }
  }

  @Test func `a refresh that begins after a sign-out by another process does not sign in again`() async throws
  {
    try await TemporaryFolder.using { folder in
      let file = CredentialFile(at: folder.appending(path: "credential"))
      let (one, two) = (CredentialSession(Names(), store: file), CredentialSession(Names(), store: file))
      try await one.signIn("old", identity: "alice")
      let isStale = Locked(false)
      let stage = stage { request in
        request.path == "/token"
          ? .response(body: "new") : .response(status: isStale.withLock { $0 } ? 401 : 200)
      } configured: {
        $0.authentication = Authentication(two)
      }
      try await stage.client.send(.get("x"))
      try await one.signOut()
      isStale.withLock { $0 = true }
      for _ in 0..<2 {
        let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
        #expect(error?.code == .signedOut)
      }
      #expect(!stage.paths.contains("/token"))
    }
  }
}
