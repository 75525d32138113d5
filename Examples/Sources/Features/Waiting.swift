import Errand
import ErrandTesting

/// A call waits while there is no network, and is sent when the network is back.
@Sendable func waiting(_ server: MockServer) async throws {
  server.on("GET", "/feed") { _ in .response(body: "news") }
  // Without a monitor, the call asks the system's.
  let network = ManualReachability(.offline)
  let (waits, waited) = AsyncStream.makeStream(of: Void.self)
  var configuration = ClientConfiguration()
  configuration.listeners = [WaitListener { waited.yield() }]
  let client = Client(configuration: configuration)
  let call = client.start(.get(server.url("/feed")).waitsForNetwork(within: .seconds(60), network))
  for await _ in waits { break }
  try show("offline, \(server.requests.count) requests were sent", server.requests.isEmpty)
  network.set(.online)
  try show("online, the response is \(try await call.value.text)", server.requests.count == 1)
}

private struct WaitListener: EventListener {
  let onWait: @Sendable () -> Void

  func record(_ event: CallEvent) {
    if case .waiting(.network) = event.kind { onWait() }
  }
}
