// swift-format-ignore-file
import Errand
import ErrandTesting
import Foundation
import Testing

struct Caching {
  let folder: URL
  let user: String?

  func byRules() async throws {
    var configuration = ClientConfiguration()
    configuration.cache = .http(DiskResponseCache(folder: folder))   // every request; .http() is in memory
    let client = Client(configuration: configuration)

    let feed = try await client.send(.get(feedURL))
    print(feed.cacheStatus!)   // the second time: Errand; hit; ttl=57; detail="fresh"
  }

  func ifChanged(_ client: Client, _ listURL: URL, _ file: URL) async throws {
    let response = try await client.download(.get(listURL), to: file, ifChanged: true)
    if response.isUnchanged { print("still the newest") }
  }

  func configured() async throws {
    var configuration = ClientConfiguration()
    configuration.cache = DiskResponseCache(folder: folder, limit: 50 << 20)   // default: in memory, 20 MiB
    let client = Client(configuration: configuration)

    let profile = try await client.send(.get(profileURL).cached(as: "profile", .staleIfError))
    _ = profile
    configuration.identity = { [user] in user }
  }

  func refreshed(_ client: Client) async throws {
    for try await feed in client.responses(to: .get(feedURL).cached(as: "feed", .staleWhileRevalidate)) {
      print(feed.cachedAt == nil ? feed.text : "\(feed.text) (from before)")
    }
  }

  func patience(_ client: Client) async throws {
    let prices = try await client.send(
      .get(pricesURL).cached(as: "prices", .staleIfError).deadline(.seconds(2)))
    _ = prices
  }

  func looking(_ client: Client, _ cache: DiskResponseCache) async throws {
    let cached = try await client.cachedResponse(to: .get(feedURL).cached(as: "feed"))
    try await client.removeCachedResponse(to: .get(feedURL).cached(as: "feed"))
    for entry in try await cache.list() { print("\(entry.key): \(entry.size) bytes of \(entry.date)") }
    try await cache.clear()
    _ = cached
  }
}

@Suite struct CachingArticle {
  @Test func `a response by HTTP's rules is validated on request, and fresh until then`() async throws {
    let server = try MockServer()
    server.on("GET", "/feed") { request in
      request.fields["If-None-Match"] == "\"1\""
        ? .response(status: 304, fields: ["ETag": "\"1\"", "X-New": "yes"])
        : .response(fields: ["ETag": "\"1\"", "Cache-Control": "max-age=600"], body: "news")
    }
    let client = Client()
    let feed = Request.get(server.url("/feed"))
    _ = try await client.send(feed.cached())
    #expect(try await client.send(feed.cached()).cacheStatus?.isHit == true)
    let second = try await client.send(feed.cached(.revalidate))
    #expect(second.text == "news" && second.fields["X-New"] == "yes" && second.cachedAt != nil)
    #expect(server.count("/feed") == 2)
  }
}
