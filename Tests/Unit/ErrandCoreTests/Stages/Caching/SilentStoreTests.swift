import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A response cache whose operations do not return.
@Suite(.timeLimit(.minutes(1))) struct SilentStoreTests {
  /// Blocks in the operation named `silent` until `end()`, even if the caller is cancelled.
  private final class SilentStore: ResponseCache {
    private let memory = MemoryResponseCache(limit: 1 << 20)
    private let silent: String
    private let gate = Promise<Void>()
    let asked = StubGate()
    /// The failures that the client reported for this cache.
    let told = Locked<[String]>([])

    init(silent: String) { self.silent = silent }

    func end() { gate.settle(.success(())) }

    private func pass(_ name: String) async {
      guard name == silent else { return }
      asked.open()
      _ = await gate.settled()
    }

    func salt() async throws -> Data {
      await pass("salt")
      return await memory.salt()
    }
    func read(_ key: CacheKey) async throws -> CachedResponse? {
      await pass("read")
      return await memory.read(key)
    }
    func write(_ response: CachedResponse, under key: CacheKey) async throws {
      await pass("write")
      await memory.write(response, under: key)
    }
    func remove(_ key: CacheKey) async throws {
      await pass("remove")
      await memory.remove(key)
    }
    func list() async throws -> [CacheEntry] { await memory.list() }
    func clear() async throws { await memory.clear() }
  }

  private func stage(_ store: SilentStore) -> Stage {
    Stage(
      configured: {
        $0.cache = store
        $0.onCacheFailure = { error in store.told.withLock { $0.append("\(error)") } }
      }, { .response(fields: $0.path == "/secret" ? ["Cache-Control": "no-store"] : [:], body: "network") })
  }

  private func request(_ path: String = "/feed") -> Request {
    .get("http://a.test\(path)").bearer("token").cached(as: "feed")
  }

  @Test(arguments: [("salt", "/feed"), ("read", "/feed"), ("write", "/feed"), ("remove", "/secret")])
  func `a request continues without a silent cache after a while, and reports it`(
    silent: String, path: String
  )
    async throws
  {
    let store = SilentStore(silent: silent)
    let stage = stage(store)
    let call = stage.client.start(request(path))
    try await store.asked.pass()
    await stage.reachSleep(of: CacheAccess.patience)
    await stage.clock.advance(by: CacheAccess.patience)
    #expect(try await call.value.text == "network")
    #expect(store.told.withLock { $0 }.first == "the response cache did not respond within 5 s")
    await stage.expectNothingLeft()
    // The timer of all deadlines may sleep until its last one.
    await stage.clock.advance(by: CacheAccess.patience)
    #expect(stage.clock.sleepers == 0)
    // Later requests do not wait for it, until it responds.
    #expect(try await stage.client.send(request(path)).text == "network")
    store.end()
    while path == "/feed", try await stage.client.cachedResponse(to: request()) == nil {
      #expect(try await stage.client.send(request()).text == "network")
    }
  }

  @Test(arguments: ["salt", "read", "write"])
  func `a call that is cancelled or past its deadline does not wait for the cache`(silent: String)
    async throws
  {
    for isDeadline in [true, false] {
      let store = SilentStore(silent: silent)
      let stage = stage(store)
      let call = stage.client.start(isDeadline ? request().deadline(.seconds(1)) : request())
      try await store.asked.pass()
      if isDeadline {
        await stage.reachSleep(of: .seconds(1))
        await stage.clock.advance(by: .seconds(1))
      } else {
        call.cancel()
      }
      #expect(await call.result.requestError?.code == (isDeadline ? .deadlineExceeded : .cancelled))
      #expect(store.told.withLock { $0 } == [])
      await stage.expectNothingLeft()
      store.end()
    }
  }

  @Test(arguments: [true, false])
  func `a stream's end does not wait for the HTTP cache forever`(isCancelled: Bool) async throws {
    let store = SilentStore(silent: "write")
    let stage = Stage(
      configured: {
        $0.cache = .http(store)
        $0.onCacheFailure = { error in store.told.withLock { $0.append("\(error)") } }
      }, { _ in .response(fields: ["Cache-Control": "max-age=60"], body: "network") })
    let reader = Task {
      var data = Data()
      for try await chunk in try await stage.client.stream(.get("http://a.test/feed")).chunks {
        data += chunk
      }
      return String(decoding: data, as: UTF8.self)
    }
    try await store.asked.pass()
    if isCancelled {
      reader.cancel()
      _ = await reader.result
    } else {
      await stage.reachSleep(of: CacheAccess.patience)
      await stage.clock.advance(by: CacheAccess.patience)
      #expect(try await reader.value == "network")
      #expect(store.told.withLock { $0 } == ["the response cache did not respond within 5 s"])
    }
    await stage.expectNothingLeft()
    store.end()
  }

  @Test func `an explicit read or removal does not wait for the cache forever`() async throws {
    let store = SilentStore(silent: "remove")
    let stage = stage(store)
    let removal = Task { try await stage.client.removeCachedResponse(to: request()) }
    try await store.asked.pass()
    await stage.reachSleep(of: CacheAccess.patience)
    await stage.clock.advance(by: CacheAccess.patience)
    await #expect(throws: RequestError.self) { try await removal.value }
    store.end()
    let reading = SilentStore(silent: "read")
    let other = self.stage(reading)
    let task = Task { try await other.client.cachedResponse(to: request()) }
    try await reading.asked.pass()
    task.cancel()
    #expect(try await task.value == nil)
    reading.end()
  }
}
