// swift-format-ignore-file
import Errand
import Foundation

struct Caching {
  let folder: URL

  func configured() async throws {
    var configuration = ClientConfiguration()
    configuration.cache = DiskResponseCache(folder: folder, limit: 50 << 20)   // in memory if not said
    let client = Client(configuration: configuration)

    let profile = try await client.send(.get(profileURL).cached(as: "profile", .staleIfError))
    _ = profile
  }

  func refreshed(_ client: Client) async throws {
    for try await feed in client.responses(to: .get(feedURL).cached(as: "feed", .staleWhileRevalidate)) {
      show(feed.cachedAt == nil ? feed.text : "\(feed.text) (from before)")
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
    for entry in try await cache.list() { show("\(entry.key): \(entry.size) bytes of \(entry.date)") }
    try await cache.clear()
    _ = cached
  }
}
