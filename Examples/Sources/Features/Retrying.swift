import Errand
import ErrandTesting
import Foundation

/// A server in trouble: three attempts, with waits that grow, and one response.
@Sendable func retrying(_ server: MockServer) async throws {
  server.script("GET", "/news", [.reset, .response(status: 503), .response(body: "at last")])
  let client = Client { configuration in
    configuration.retry.maxAttempts = 3
    configuration.retry.backoff = .milliseconds(50)
  }
  let response = try await client.send(.get(server.url("/news")).deadline(.seconds(10)))
  try show("\(response.text), after \(response.timing.attempts) attempts", response.timing.attempts == 3)

  // A POST is not repeated, unless the server can recognize the repeat.
  server.script("POST", "/orders", [.response(status: 503), .response(status: 201)])
  let order = Request.post(server.url("/orders"), .text("one pizza")).idempotencyKey("order-1")
  let stored = try await client.send(order)
  try show(
    "the order: \(stored.status), after \(stored.timing.attempts) attempts", stored.timing.attempts == 2)
}
