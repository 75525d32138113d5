import Errand
import ErrandTesting
import Foundation

/// A server whose first response never comes: a second attempt gets one.
@Sendable func hedging(_ server: MockServer) async throws {
  server.on("/price") { _ in .response(body: "42") }
  let client = Client()
  // Second attempts are at most 5 % of the first ones, so twenty of these come first.
  let price = Request.get(server.url("/price")).hedged(after: .milliseconds(100))
  for _ in 0..<20 { try await client.send(price) }

  server.script("GET", "/late", [.response(body: "late").stalling(at: .start), .response(body: "in time")])
  let late = Request.get(server.url("/late")).hedged(after: .milliseconds(100))
  let response = try await client.send(late)
  try show(
    "the response is \(response.text), after \(response.timing.attempts) attempts",
    response.text == "in time" && response.timing.attempts == 2)
}
