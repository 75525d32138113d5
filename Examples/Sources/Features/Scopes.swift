import Errand
import ErrandTesting
import Foundation

/// A page and its requests: when the page goes, its requests are cancelled.
@Sendable func scopes(_ server: MockServer) async throws {
  server.on("GET", "/photo") { _ in .stall }
  let client = Client()
  let page = RequestScope("profile")
  let calls = (0..<3).map { _ in client.start(.get(server.url("/photo")), in: page) }
  try await server.waitForRequests(3)
  page.end()
  for call in calls {
    guard case .failure(let error) = await call.result else { continue }
    try show("\(error)", error.isCancellation)
  }
  try await server.waitForOpenConnections(0)
  try show("\(page.count) requests are left")
}

/// A request that the user waits for overtakes requests in the background.
@Sendable func priorities(_ server: MockServer) async throws {
  server.on("GET", "/*") { _ in .response().pausing(.milliseconds(20)) }
  let client = Client { configuration in configuration.limits.perOrigin = 1 }
  let prefetches = (0..<5).map { index in
    client.start(.get(server.url("/prefetch/\(index)")).priority(.background))
  }
  try await server.waitForRequests(1)
  try await client.send(.get(server.url("/visible")).priority(.userInitiated))
  for call in prefetches { _ = try await call.value }
  let place = server.requests.firstIndex { $0.path == "/visible" } ?? 0
  try show("the visible one was number \(place + 1) of \(server.requests.count)", place < 5)
}

/// A request that begins when another has succeeded, and fails with it.
@Sendable func dependencies(_ server: MockServer) async throws {
  server.on("POST", "/photo") { _ in .response(status: 201).pausing(.milliseconds(50)) }
  server.on("POST", "/post") { _ in .response(status: 201) }
  let client = Client()
  let photo = client.start(.post(server.url("/photo"), .bytes(Data(count: 1000))))
  try await client.send(.post(server.url("/post")).after(photo))
  try show(server.requests.map(\.path).joined(separator: ", then "), server.requests.last?.path == "/post")
}
