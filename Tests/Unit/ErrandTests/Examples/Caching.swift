// swift-format-ignore-file
import Errand
import ErrandTesting
import Foundation
import Testing

struct Caching {
  let folder: URL
  let user: String?

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

func revalidated(_ request: Request, as name: String, by client: Client) async throws -> Response {
  let named = request.cached(as: name, .networkOnly)
  guard let cached = try await client.cachedResponse(to: named), let tag = cached.fields["ETag"] else {
    return try await client.send(named)
  }
  let response = try await client.send(named.field("If-None-Match", tag).accepting(200, 304))
  guard response.status == 304 else { return response }
  // The cache has the old body, with the new date and fields.
  return try await client.cachedResponse(to: named) ?? cached
}

@Suite struct CachingArticle {
  @Test func `the article's revalidation returns the cached body after a 304`() async throws {
    let server = try MockServer()
    server.on("GET", "/feed") { request in
      request.fields["If-None-Match"] == "\"1\""
        ? .response(status: 304, fields: ["ETag": "\"1\"", "X-New": "yes"])
        : .response(fields: ["ETag": "\"1\""], body: "news")
    }
    let client = Client()
    let request = Request.get(server.url("/feed"))
    _ = try await revalidated(request, as: "feed", by: client)
    let second = try await revalidated(request, as: "feed", by: client)
    #expect(second.text == "news" && second.fields["X-New"] == "yes" && second.cachedAt != nil)
    #expect(server.count("/feed") == 2)
  }
}
