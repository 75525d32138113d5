import ErrandAuthentication
import ErrandCurl
import ErrandTesting
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct SharingOnSocketsTests {
  private let server: MockServer
  private let clock = VirtualClock()
  private let client: Client
  private let gate = ServerGate()

  init() throws {
    server = try MockServer()
    server.on("/feed") { [gate] request in
      gate.pass()
      return .response(fields: ["X-Number": "\(request.index + 1)"], body: "feed \(request.index + 1)")
    }
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.retry = .never
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private func feed(_ window: Duration, _ failures: SharingPolicy.Failures = .replayed) -> Request {
    Request.get(server.url("/feed")).shared(within: window, failures: failures, key: "feed")
  }

  private func reachCallers(_ count: Int) async throws {
    try await reach {
      client.pipeline.coalescing.states.sharing.withLock({ $0.callers(of: "feed") }) == count
    }
  }

  @Test func `twenty callers share one request, and each gets the complete response`() async throws {
    let calls = (0..<20).map { _ in client.start(feed(.zero)) }
    try await reachCallers(20)
    gate.open()
    for call in calls {
      let response = try await call.value
      #expect(response.text == "feed 1")
      #expect(response.fields["X-Number"] == "1")
    }
    #expect(server.requests.count == 1)
  }

  @Test func `a request is shared while its response is pending or its window is open`() async throws {
    let request = feed(.seconds(3))
    let first = client.start(request)
    try await server.waitForRequests(1)
    let openPending = client.start(request)
    try await reachCallers(2)
    await clock.advance(by: .seconds(3))
    let overPending = client.start(request)
    try await reachCallers(3)
    #expect(server.requests.count == 1)
    gate.open()
    for call in [first, openPending, overPending] { #expect(try await call.value.text == "feed 1") }
    let overHere = try await client.send(request)
    #expect(overHere.text == "feed 2")
    await clock.advance(by: .milliseconds(2999))
    let openHere = try await client.send(request)
    #expect(openHere.text == "feed 2")
    #expect(server.requests.count == 2)
    await clock.advance(by: .milliseconds(1))
    #expect(try await client.send(request).text == "feed 3")
  }

  @Test(arguments: [SharingPolicy.Failures.replayed, .retried])
  func `a failure is shared with callers that joined, and with later ones by their policy`(
    failures: SharingPolicy.Failures
  ) async throws {
    server.on("/feed") { [gate] request in
      gate.pass()
      return request.index == 0 ? .response(status: 500, body: "sorry") : .response(body: "well")
    }
    let request = feed(.seconds(3), failures)
    let calls = (0..<5).map { _ in client.start(request) }
    try await reachCallers(5)
    gate.open()
    for call in calls {
      let error = await call.error
      #expect(error?.status == 500)
      #expect(error?.bodyPrefix.map { String(decoding: $0, as: UTF8.self) } == "sorry")
    }
    #expect(server.requests.count == 1)
    let late = client.start(request)
    switch failures {
    case .replayed: #expect(await late.error?.status == 500)
    case .retried: #expect(try await late.value.text == "well")
    }
    #expect(server.requests.count == (failures == .replayed ? 1 : 2))
  }

  @Test func `two users share nothing, even if the key is the same`() async throws {
    gate.open()
    let responses = [
      client.start(feed(.seconds(3)).bearer("a")), client.start(feed(.seconds(3)).bearer("b")),
    ]
    var texts: Set<String> = []
    for response in responses { texts.insert(try await response.value.text) }
    #expect(texts == ["feed 1", "feed 2"])
  }
}
