import Errand
import ErrandTesting
import Foundation

/// A list in pages: each response links to the next one.
@Sendable func paging(_ server: MockServer) async throws {
  server.on("GET", "/items") { request in
    switch request.query {
    case "page=2": .response(json: ["pear", "plum"])
    default: .response(fields: ["Link": "</items?page=2>; rel=\"next\""], json: ["apple"])
    }
  }
  let client = Client(baseURL: server.url("/"))
  var items: [String] = []
  for try await page in client.pages(of: .get("items"), as: [String].self) { items += page }
  try show("\(items.count) items on \(server.count("/items")) pages", items == ["apple", "pear", "plum"])
}
