import Errand
import ErrandTesting
import Foundation

/// A line for each call, and numbers for Prometheus.
@Sendable func watching(_ server: MockServer) async throws {
  server.script("GET", "/news", [.response(status: 503), .response(body: "news")])
  let client = Client { configuration in
    configuration.retry.backoff = .milliseconds(10)
    configuration.listeners = [.log(level: .info) { line in print("  \(line)") }]
    configuration.collectsMetrics = true
  }
  try await client.send(.get(server.url("/news")))
  let metrics = client.metrics
  try show("\(metrics?.attempts ?? 0) attempts, \(metrics?.retries ?? 0) retry", metrics?.attempts == 2)
}
