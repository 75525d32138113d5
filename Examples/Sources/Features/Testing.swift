import Errand
import ErrandTesting
import Foundation

/// A test of your own code needs no server and no waits: a stub has the responses, and a clock moves at once.
@Sendable func testing(_: MockServer) async throws {
  let clock = VirtualClock()
  let stub = StubTransport(clock: clock, [.response(status: 503), .response(json: ["id": 7])])
  var configuration = ClientConfiguration()
  configuration.clock = clock
  configuration.retry.backoff = .seconds(30)
  let client = Client(transport: stub, configuration: configuration)

  let retrying = client.start(.get("https://api.example.com/users/7"))
  try await clock.waitForSleepers()
  await clock.advance(by: .seconds(30))
  let user = try await retrying.value.decode([String: Int].self)
  try show("the user \(user) came after half a minute, without a wait", stub.requests.count == 2)
}
