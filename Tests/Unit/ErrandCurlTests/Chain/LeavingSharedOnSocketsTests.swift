import ErrandCurl
import ErrandTesting
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct LeavingSharedOnSocketsTests {
  private let server: MockServer
  private let client = Client(transport: CurlTransport())

  init() throws {
    server = try MockServer()
    server.otherwise { _ in .response(body: "other") }
  }

  private func feed(_ abandonment: SharingPolicy.Abandonment = .cancelled) -> Request {
    Request.get(server.url("/feed")).shared(
      within: .seconds(3600), whenAbandoned: abandonment, key: "feed")
  }

  private func reachCallers(_ count: Int) async throws {
    try await reach {
      client.pipeline.coalescing.states.sharing.withLock({ $0.callers(of: "feed") }) == count
    }
  }

  @Test func `a caller that leaves, by cancellation, scope or deadline, does not end the other callers`()
    async throws
  {
    let gate = ServerGate()
    server.on("/feed") { _ in
      gate.pass()
      return .response(body: "feed")
    }
    let scope = RequestScope("page")
    let first = client.start(feed())
    try await reachCallers(1)
    let inScope = client.start(feed(), in: scope)
    let hasty = client.start(feed().deadline(.zero))
    let stays = client.start(feed())
    #expect(await hasty.error?.code == .deadlineExceeded)
    try await reachCallers(3)
    try await server.waitForRequests(1)
    first.cancel()
    scope.end()
    #expect(await first.error?.cancellation == .callCancelled)
    #expect(await inScope.error?.cancellation == .scopeEnded("page"))
    try await reachCallers(1)
    gate.open()
    #expect(try await stays.value.text == "feed")
    #expect(server.requests.count == 1)
    #expect(server.openConnections == 1)
  }

  @Test func `the last caller that leaves closes the socket, and the next one starts again`() async throws {
    server.script("/feed", [.stall, .response(body: "anew")])
    let calls = (0..<3).map { _ in client.start(feed()) }
    try await reachCallers(3)
    try await server.waitForRequests(1)
    for call in calls.dropLast() { call.cancel() }
    try await reachCallers(1)
    #expect(server.openConnections == 1)
    calls[2].cancel()
    try await server.waitUntilClosed(connection: 1)
    for call in calls { #expect(await call.error?.isCancellation == true) }
    #expect(try await client.send(feed()).text == "anew")
    #expect(server.requests.count == 2)
  }

  @Test func `a shared request that should finish survives its callers and serves later ones`() async throws {
    let gate = ServerGate()
    server.on("/feed") { _ in
      gate.pass()
      return .response(body: "feed")
    }
    let calls = [client.start(feed()), client.start(feed(.finishes))]
    try await reachCallers(2)
    try await server.waitForRequests(1)
    for call in calls {
      call.cancel()
      #expect(await call.error?.cancellation == .callCancelled)
    }
    gate.open()
    #expect(try await client.send(feed()).text == "feed")
    #expect(server.requests.count == 1)
  }

  @Test func `a waiting shared request has the highest priority of its callers`() async throws {
    server.on("/stall") { _ in .stall }
    server.on("/feed") { _ in .response(body: "feed") }
    client.limits.total = 1
    let holder = client.start(.get(server.url("/stall")))
    try await server.waitForRequests(1)
    let background = client.start(feed().priority(.background))
    try await reach { client.pipeline.slots.load.waiting(.background) == 1 }
    let other = client.start(.get(server.url("/other")))
    try await reach { client.pipeline.slots.load.waiting(.default) == 1 }
    let urgent = client.start(feed().priority(.userInitiated))
    try await reach { client.pipeline.slots.load.waiting(.userInitiated) == 1 }
    holder.cancel()
    for call in [background, urgent] { #expect(try await call.value.text == "feed") }
    _ = try await other.value
    #expect(server.requests.map(\.path) == ["/stall", "/feed", "/other"])
  }
}
