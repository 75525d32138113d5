import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct EncryptedResponseCacheTests {
  private static let url = "http://a.test/diary"
  private let folder: CacheTestFolder
  private let key = Data((0..<32).map { $0 })

  init() throws { folder = try CacheTestFolder() }

  private var disk: DiskResponseCache { DiskResponseCache(folder: folder.responses) }

  private func stage(_ store: any ResponseCache) -> Stage {
    Stage.configured { $0.cache = .http(store) }.responding { request in
      .response(
        fields: ["Cache-Control": "max-age=60", "Vary": "Accept-Language", "X-Mood": "cheerful"],
        body: "dear diary, in \(request.fields["Accept-Language"] ?? "silence")")
    }
  }

  private func request(_ language: String, token: String = "alice") -> Request {
    .get(Self.url).bearer(token).field("Accept-Language", language)
  }

  @Test func `the HTTP cache works with it, and its folder shows nothing of the responses`() async throws {
    let first = stage(try EncryptedResponseCache(disk, key: key))
    for language in ["de", "en"] { _ = try await first.client.send(request(language)) }
    let next = stage(try EncryptedResponseCache(disk, key: key))
    for language in ["de", "en"] {
      let response = try await next.client.send(request(language))
      #expect(response.cacheStatus?.isHit == true && response.text == "dear diary, in \(language)")
      #expect(response.fields["X-Mood"] == "cheerful" && response.url.absoluteString == Self.url)
    }
    #expect(try await next.client.send(request("de", token: "bob")).cacheStatus?.isHit == false)
    for name in folder.names {
      let bytes = try Data(contentsOf: URL(filePath: folder.path(name)))
      for text in ["diary", "cheerful", "a.test", "alice"] {
        #expect(bytes.range(of: Data(text.utf8)) == nil, "\(name) contains \(text)")
      }
    }
    let listed = try await (try EncryptedResponseCache(disk, key: key)).list()
    #expect(listed.count == 3 && listed.allSatisfy { $0.url.absoluteString == Self.url })
    for entry in listed { try await (try EncryptedResponseCache(disk, key: key)).remove(entry.key) }
    #expect(try await disk.list().isEmpty)
  }

  @Test func `another key, and a response that was exchanged for another, find nothing`() async throws {
    let store = MemoryResponseCache()
    let cache = try EncryptedResponseCache(store, key: key)
    for name in ["a", "b"] { try await cache.write(.sample(name), under: CacheKey(name)) }
    #expect(try await cache.read(CacheKey("a")) == .sample("a"))
    let other = try EncryptedResponseCache(store, key: key + [1])
    #expect(try await other.read(CacheKey("a")) == nil)
    #expect(try await other.list().isEmpty)

    let keys = await store.list().map(\.key)
    let responses = [await store.read(keys[0]), await store.read(keys[1])].compactMap(\.self)
    await store.write(responses[0], under: keys[1])
    #expect(try await cache.list().count == 1)
    let kept = try await [cache.read(CacheKey("a")), cache.read(CacheKey("b"))].compactMap(\.self)
    #expect(kept.count == 1)
    // A body belongs to its head.
    await store.write(
      CachedResponse(
        status: 200, fields: [:], data: responses[1].data, url: responses[0].url, date: responses[0].date),
      under: keys[0])
    #expect(try await [cache.read(CacheKey("a")), cache.read(CacheKey("b"))].compactMap(\.self).isEmpty)
  }

  @Test func `a large body that is stored in a file is decrypted`() async throws {
    let cache = try EncryptedResponseCache(disk, key: key)
    let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let stage = Stage.configured { $0.cache = .http(cache) }.responding { _ in
      .response(fields: ["Cache-Control": "max-age=60"], chunks: [body])
    }
    for isHit in [false, true] {
      let response = try await stage.client.stream(.get(Self.url))
      var data = Data()
      for try await chunk in response.chunks { data.append(chunk) }
      #expect(data == body && response.cacheStatus?.isHit == isHit)
    }
  }

  @Test func `the salt needs the key, and a short key is refused`() async throws {
    let salts = try await (disk.salt(), (try EncryptedResponseCache(disk, key: key)).salt())
    #expect(salts.0 != salts.1)
    #expect(throws: EncryptedResponseCache.ShortKey(count: 31)) {
      try EncryptedResponseCache(disk, key: key.dropLast())
    }
  }
}
