import Errand
import ErrandTesting
import Foundation

/// The cached response first, then the present one; and the cached one when the server fails.
@Sendable func caching(_ server: MockServer) async throws {
  server.script("GET", "/feed", [.response(body: "old"), .response(body: "new"), .response(status: 500)])
  try await withFolder { folder in
    let client = Client { configuration in
      configuration.cache = DiskResponseCache(folder: folder, limit: 50 << 20)
      configuration.retry = .never
    }
    let feed = Request.get(server.url("/feed"))
    try await client.send(feed.cached(as: "feed", .networkOnly))

    var shown: [String] = []
    for try await response in client.responses(to: feed.cached(as: "feed", .staleWhileRevalidate)) {
      shown.append(response.text)
    }
    try show("a page shows \(shown.joined(separator: ", then "))", shown == ["old", "new"])

    let fallback = try await client.send(feed.cached(as: "feed", .staleIfError))
    try show("while the server fails: \(fallback.text)", fallback.text == "new" && fallback.cachedAt != nil)
  }
}

/// A response that is used again as its server allows, and validated when it is stale.
@Sendable func httpCaching(_ server: MockServer) async throws {
  server.on("GET", "/prices") { request in
    request.fields["If-None-Match"] == "\"7\""
      ? .response(status: 304, fields: ["Cache-Control": "max-age=60"])
      : .response(fields: ["Cache-Control": "max-age=60", "ETag": "\"7\""], body: "prices")
  }
  try await withFolder { folder in
    let client = Client { $0.cache = .http(DiskResponseCache(folder: folder)) }
    let prices = Request.get(server.url("/prices"))
    for (request, isHit) in [(prices, false), (prices, true), (prices.cached(.revalidate), false)] {
      let response = try await client.send(request)
      try show(
        "\(response.text): \(response.cacheStatus?.description ?? "")",
        response.cacheStatus?.isHit == isHit && response.text == "prices")
    }
  }
  try show("the server saw \(server.requests.count) requests", server.requests.count == 2)
}
