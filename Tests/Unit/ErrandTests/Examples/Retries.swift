// swift-format-ignore-file
import Errand
import Foundation

struct Retries {
  func times(_ client: Client) async throws {
    let request = Request.get(feedURL)
      .attempts(5)                // default: 3
      .timeout(.seconds(5))       // for each attempt: it ends when no byte has moved for this long
      .deadline(.seconds(30))     // for all attempts together
    try await client.send(request)
    try await client.send(.get(photoURL).bestEffort())   // one attempt
  }

  func key(_ client: Client) async throws {
    let order = Request.post(messageURL, json: Message()).idempotencyKey(UUID().uuidString)
    try await client.send(order)
  }

  func policy(_ configuration: inout ClientConfiguration) {
    var policy = RetryPolicy()
    policy.maxAttempts = 6
    policy.statuses.insert(409)
    policy.failures.remove(.timedOut)
    policy.backoff = .seconds(1)
    configuration.retry = policy                  // for every request of the client
    let eager = Request.get(feedURL).retry(policy)   // for one
    _ = eager
  }

  func hedging(_ client: Client, _ configuration: inout ClientConfiguration) async throws {
    let feed = try await client.send(.get(feedURL).hedged(after: .p95))
    configuration.hedging = .after(.milliseconds(200))                  // for every request of the client
    let order = Request.get(messageURL).hedged(after: .never)           // not for this one
    _ = (feed, order)
  }

  func network(_ client: Client) async throws {
    let feed = try await client.send(.get(feedURL).waitsForNetwork(within: .seconds(60)))
    _ = feed
  }

  func error(_ client: Client) async throws {
    do {
      try await client.send(.get(feedURL))
    } catch let error as RequestError {
      print("\(error.attempt) attempts; \(error.reachedServer ? "the server may have seen it" : "it never left")")
    }
  }
}
