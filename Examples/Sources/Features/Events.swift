import Errand
import ErrandTesting
import Foundation

/// An event stream goes on with a new connection after the last event that it has seen.
@Sendable func events(_ server: MockServer) async throws {
  server.on("GET", "/news") { request in
    guard let last = Int(request.fields["Last-Event-ID"] ?? "0"), last < 4 else {
      return .response(status: 204)
    }
    let events = (last + 1...last + 2).map { "id: \($0)\ndata: news \($0)\n\n" }.joined()
    return .response(fields: ["Content-Type": "text/event-stream"], body: "retry: 10\n\n" + events)
  }
  var news: [String] = []
  for try await event in Client().events(.get(server.url("/news"))) { news.append(event.data) }
  try show(
    "\(news.count) events over \(server.requests.count - 1) connections", news == (1...4).map { "news \($0)" }
  )
}
