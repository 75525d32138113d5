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
