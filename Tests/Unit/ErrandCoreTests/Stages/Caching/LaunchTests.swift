import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The first requests of a process, before the credential store has been read.
@Suite(.timeLimit(.minutes(1))) struct LaunchTests {
  private struct Names: Authenticator {
    func authenticate(_ request: Request, with name: String) -> Request { request.field("X-User", name) }
    func refresh(_ name: String?, _ refresh: CredentialRefresh) -> String { name ?? "" }
  }

  /// A store whose reads wait for a gate.
  private final class SlowStore: CredentialStore {
    private let data: Locked<Data?>
    private let problem: (any Error)?
    let gate = StubGate()

    init(_ data: Data?, problem: (any Error)? = nil) {
      self.data = Locked(data)
      self.problem = problem
    }

    func read() async throws -> Data? {
      try await gate.pass()
      if let problem { throw problem }
      return data.withLock { $0 }
    }
    func write(_ data: Data) { self.data.withLock { $0 = data } }
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
      try await body()
    }
    var content: Data? { data.withLock { $0 } }
  }

  private struct Unreadable: Error {}

  private let cache = MemoryResponseCache()
  private let feed = Request.get("http://a.test/feed").cached(as: "feed")

  private func stage(_ store: SlowStore) -> Stage {
    Stage.configured { [cache] in
      $0.cache = cache
      $0.authentication = Authentication(
        CredentialSession(Names(), store: store), at: [URL(string: "http://a.test")!])
    }.responding { .response(body: "of \($0.fields["X-User"] ?? "nobody")") }
  }

  /// Returns the store of an earlier process, in which alice has signed in and a response was cached.
  private func stored() async throws -> Data {
    let store = SlowStore(nil)
    store.gate.open()
    let session = CredentialSession(Names(), store: store)
    try await session.signIn("alice", identity: "alice")
    let stage = stage(store)
    #expect(try await stage.client.send(feed).text == "of alice")
    return try #require(store.content)
  }

  @Test func `the first read finds the response of the stored identity`() async throws {
    let store = SlowStore(try await stored())
    let stage = stage(store)
    async let found = stage.client.cachedResponse(to: feed)
    store.gate.open()
    #expect(try await found?.text == "of alice")
    #expect(stage.stub.requests.isEmpty)
  }

  @Test func `the first sequence of responses begins with the cached response of the stored identity`()
    async throws
  {
    let store = SlowStore(try await stored())
    store.gate.open()
    let stage = stage(store)
    var dates: [Bool] = []
    for try await response in stage.client.responses(to: feed) { dates.append(response.cachedAt != nil) }
    #expect(dates == [true, false])
  }

  @Test func `the first removal removes the response of the stored identity`() async throws {
    let store = SlowStore(try await stored())
    let stage = stage(store)
    async let removal: Void = stage.client.removeCachedResponse(to: feed)
    store.gate.open()
    try await removal
    #expect(await cache.list().isEmpty)
  }

  @Test func `a removal fails if the identity of the response is unknown`() async throws {
    let store = SlowStore(try await stored(), problem: Unreadable())
    store.gate.open()
    let stage = stage(store)
    await #expect(throws: Unreadable.self) { try await stage.client.removeCachedResponse(to: feed) }
    #expect(try await stage.client.cachedResponse(to: feed) == nil)
    #expect(await cache.list().count == 1)
  }

  @Test func `the newest call of a key, even the first, is made for the stored identity`() async throws {
    let store = SlowStore(try await stored())
    let stage = stage(store)
    let call = stage.client.start(feed.latest("feed"))
    store.gate.open()
    #expect(try await call.value.cachedAt != nil)
  }

  @Test func `a sign-out that clears the cache reports a store that cannot be read`() async throws {
    let store = SlowStore(try await stored(), problem: Unreadable())
    store.gate.open()
    let session = CredentialSession(Names(), store: store)
    await #expect(throws: Unreadable.self) { try await session.signOut(clearingCache: true) }
  }
}
