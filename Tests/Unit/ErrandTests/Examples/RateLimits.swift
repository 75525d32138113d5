// swift-format-ignore-file
import Errand
import Foundation

struct RateLimitSamples {
  let customer: String

  func origins(_ apiURL: URL) -> Client {
    let client = Client { configuration in
      // Each origin (scheme, host and port) has its own bucket.
      configuration.rateLimits.perOrigin = RateLimit(requests: 10, per: .seconds(1), burst: 5)
      // This one allows less.
      configuration.rateLimits[apiURL] = RateLimit(requests: 100, per: .seconds(60))
    }
    return client
  }

  func keys(_ client: Client) async throws {
    let limit = RateLimit(requests: 5, per: .seconds(1))
    try await client.send(.get(feedURL).rateLimited(by: "customer/\(customer)", limit))
  }

  func inOutbox() -> OutboxConfiguration {
    var configuration = OutboxConfiguration()
    configuration.rateLimit = RateLimit(requests: 10, per: .seconds(1), burst: 5)
    configuration.rateLimitOf = { origin, key in key == "customer/7" ? RateLimit(requests: 1, per: .seconds(10)) : nil }
    return configuration
  }

  func servers() -> Client {
    let polite = Client { configuration in
      configuration.rateLimits = RateLimits(followsServer: true)
      configuration.rateLimits.maxServerWait = .seconds(30)
    }
    return polite
  }
}

struct WaitPrinter: EventListener {
  func record(_ event: CallEvent) {
    if case .waiting(.rateLimit) = event.kind { print("\(event.request.url) waits for its rate limit") }
  }
}
