import Errand
import ErrandTesting
import Foundation

/// Ten requests at most twenty a second, and a server that allows no more for a while.
@Sendable func rateLimiting(_ server: MockServer) async throws {
  server.on("/prices") { _ in .response(body: "42") }
  let client = Client { configuration in
    configuration.rateLimits.perOrigin = RateLimit(requests: 20, per: .seconds(1), burst: 5)
    configuration.rateLimits.followsServer = true
  }
  let calls = (0..<10).map { _ in client.start(.get(server.url("/prices"))) }
  var longest = Duration.zero
  for call in calls { longest = max(longest, try await call.value.timing.queue) }
  try show("the last of ten requests waited \(longest)", longest >= .milliseconds(200))

  // The server says that its quota is used up, and the next request waits for its reset.
  server.on("/last") { _ in .response(fields: ["RateLimit": "\"default\";r=0;t=1"]) }
  try await client.send(.get(server.url("/last")))
  let next = try await client.send(.get(server.url("/prices")))
  try show("the next request waited \(next.timing.queue)", next.timing.queue >= .milliseconds(900))
}
