import ErrandTesting
import Testing

@testable import ErrandCore

/// Stale-while-revalidate: the cached response is delivered, and a refresh caches the network's response.
@Suite struct RefreshingTests {
  private let script = Script(.response(body: "old"))
  private let stage: Stage
  private let request = Request.get("http://a.test/feed").cached(as: "feed", .staleWhileRevalidate)

  init() { stage = Stage { [script] _ in script.now } }

  private func keep() async throws {
    try await stage.client.send(request)
    script.now = .stall
  }

  @Test func `the cached response is delivered at once, and the refresh runs in the same scope`() async throws
  {
    try await keep()
    let (gate, scope) = (StubGate(), RequestScope("page"))
    script.now = .response(body: "new").behind(gate)
    let response = try await stage.client.send(request, in: scope)
    #expect(response.text == "old")
    #expect(response.cachedAt != nil)
    #expect(scope.count == 1)
    gate.open()
    await stage.expectNothingLeft()
    #expect(scope.count == 0)
    #expect(try await stage.client.cachedResponse(to: request)?.text == "new")
  }

  @Test func `a refresh is cancelled with its scope`() async throws {
    try await keep()
    let scope = RequestScope("page")
    #expect(try await stage.client.send(request, in: scope).text == "old")
    try await stage.stub.waitForRequests(2)
    scope.end()
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 1)
    #expect(try await stage.client.cachedResponse(to: request)?.text == "old")
  }

  @Test func `a refresh is cancelled when the shutdown reaches its limit`() async throws {
    try await keep()
    #expect(try await stage.client.send(request.timeout(.seconds(99))).text == "old")
    try await stage.stub.waitForRequests(2)
    let shutdown = Task { await stage.client.shutdown(within: .seconds(5)) }
    try await stage.clock.waitForSleepers(2)
    await stage.clock.advance(by: .seconds(5))
    await shutdown.value
    #expect(stage.stub.cancelled == 1)
    await stage.expectNothingLeft()
  }

  @Test func `a refresh has the request's deadline, counted from the start of the refresh`() async throws {
    try await keep()
    await stage.clock.advance(by: .seconds(100))
    let limited = request.timeout(.seconds(99)).deadline(.seconds(3))
    #expect(try await stage.client.send(limited).text == "old")
    try await stage.clock.waitForSleepers(2)
    await stage.clock.advance(by: .seconds(3))
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 1)
    #expect(stage.clock.sleepers == 0)
  }

  @Test func `a failed refresh leaves the cached response, and reports nothing`() async throws {
    try await keep()
    script.now = .response(status: 404)
    #expect(try await stage.client.send(request).text == "old")
    await stage.expectNothingLeft()
    #expect(try await stage.client.cachedResponse(to: request)?.text == "old")
  }

  @Test func `cancelling the task that received the response does not stop the refresh`() async throws {
    try await keep()
    let gate = StubGate()
    script.now = .response(body: "new").behind(gate)
    let task = Task { try await stage.client.send(request) }
    #expect(try await task.value.text == "old")
    task.cancel()
    gate.open()
    await stage.expectNothingLeft()
    #expect(try await stage.client.cachedResponse(to: request)?.text == "new")
  }
}
