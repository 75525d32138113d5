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
      return .answer(fields: ["X-Number": "\(request.index + 1)"], body: "feed \(request.index + 1)")
    }
    var configuration = ClientConfiguration()
    configuration.clock = clock
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private func feed(_ window: Duration, _ failures: SharingPolicy.Failures = .replayed) -> Request {
    Request.get(server.url("/feed")).bestEffort().shared(within: window, failures: failures, key: "feed")
  }

  private func reachCallers(_ count: Int) async throws {
    try await reach { client.pipeline.repeats.states.sharing.withLock({ $0.callers(of: "feed") }) == count }
  }

  @Test func `twenty callers are one request, and each gets the whole answer`() async throws {
    let calls = (0..<20).map { _ in client.start(feed(.zero)) }
    try await reachCallers(20)
    gate.open()
    for call in calls {
      let answer = try await call.value
      #expect(answer.text == "feed 1")
      #expect(answer.fields["X-Number"] == "1")
    }
    #expect(server.requests.count == 1)
  }

  @Test func `window open or over, result pending or here: four states decide what goes out`() async throws {
    let request = feed(.seconds(3))
    let first = client.start(request)
    try await server.waitForRequests(1)
    let openPending = client.start(request)
    try await reachCallers(2)
    clock.advance(by: .seconds(3))
    let overPending = client.start(request)
    try await reachCallers(3)
    #expect(server.requests.count == 1)
    gate.open()
    for call in [first, openPending, overPending] { #expect(try await call.value.text == "feed 1") }
    let overHere = try await client.send(request)
    #expect(overHere.text == "feed 2")
    clock.advance(by: .milliseconds(2999))
    let openHere = try await client.send(request)
    #expect(openHere.text == "feed 2")
    #expect(server.requests.count == 2)
    clock.advance(by: .milliseconds(1))
    #expect(try await client.send(request).text == "feed 3")
  }

  @Test(arguments: [SharingPolicy.Failures.replayed, .triedAgain])
  func `a failure is shared with those who joined, and with those who come later as they want`(
    failures: SharingPolicy.Failures
  ) async throws {
    server.on("/feed") { [gate] request in
      gate.pass()
      return request.index == 0 ? .answer(status: 500, body: "sorry") : .answer(body: "well")
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
    case .triedAgain: #expect(try await late.value.text == "well")
    }
    #expect(server.requests.count == (failures == .replayed ? 1 : 2))
  }

  @Test func `two users share nothing, though the key is the same`() async throws {
    gate.open()
    let answers = [client.start(feed(.seconds(3)).bearer("a")), client.start(feed(.seconds(3)).bearer("b"))]
    var texts: Set<String> = []
    for answer in answers { texts.insert(try await answer.value.text) }
    #expect(texts == ["feed 1", "feed 2"])
  }
}
