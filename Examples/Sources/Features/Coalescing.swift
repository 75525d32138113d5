import Errand
import ErrandTesting
import Foundation

/// Ten callers ask for the same at once: one request is sent.
@Sendable func sharing(_ server: MockServer) async throws {
  server.on("GET", "/feed") { _ in .response(body: "news").pausing(.milliseconds(100)) }
  let client = Client()
  let texts = try await withThrowingTaskGroup(of: String.self) { group in
    for _ in 0..<10 { group.addTask { try await client.send(.get(server.url("/feed")).shared()).text } }
    return try await group.reduce(into: []) { $0.append($1) }
  }
  try show("\(texts.count) responses, \(server.requests.count) request", server.requests.count == 1)
}

/// Search as you type: a newer request cancels the older one with the same key.
@Sendable func latest(_ server: MockServer) async throws {
  server.on("GET", "/search") { request in request.query == "q=er" ? .stall : .response(body: "errand") }
  let client = Client()
  let first = client.start(.get(server.url("/search"), query: ["q": "er"]).latest("search"))
  try await server.waitForRequests(1)
  let second = try await client.send(.get(server.url("/search"), query: ["q": "errand"]).latest("search"))
  try show("found: \(second.text)", second.text == "errand")
  if case .failure(let error) = await first.result {
    try show("the first search: \(error)", error.isCancellation)
  }
}

/// A double tap sends one request; the second tap fails at once.
@Sendable func repeats(_ server: MockServer) async throws {
  server.on("POST", "/like") { _ in .response(status: 201) }
  let client = Client()
  let like = Request.post(server.url("/like")).ignoringRepeats(within: .seconds(3))
  try await client.send(like)
  do {
    try await client.send(like)
  } catch let error as RequestError {
    try show("the second tap: \(error.message)", error.code == .ignoredRepeat)
  }
}
