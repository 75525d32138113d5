import ErrandTesting
import Testing

@testable import ErrandCore

/// An answer that is kept is delivered, and the network asked for the next time.
@Suite struct RefreshingTests {
  private let script = Script(.answer(body: "old"))
  private let stage: Stage
  private let request = Request.get("http://a.test/feed").kept(as: "feed", .thenRefreshed)

  init() { stage = Stage { [script] _ in script.now } }

  private func keep() async throws {
    try await stage.client.send(request)
    script.now = .stall
  }

  @Test func `the answer comes at once, and the next is kept in the same scope`() async throws {
    try await keep()
    let (gate, scope) = (StubGate(), RequestScope("page"))
    script.now = .answer(body: "new").behind(gate)
    let answer = try await stage.client.send(request, in: scope)
    #expect(answer.text == "old")
    #expect(answer.keptAt != nil)
    #expect(scope.count == 1)
    gate.open()
    await stage.expectNothingLeft()
    #expect(scope.count == 0)
    #expect(try await stage.client.keptAnswer(to: request)?.text == "new")
  }

  @Test func `refreshing is called off with the scope`() async throws {
    try await keep()
    let scope = RequestScope("page")
    #expect(try await stage.client.send(request, in: scope).text == "old")
    try await stage.stub.waitForRequests(2)
    scope.end()
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 1)
    #expect(try await stage.client.keptAnswer(to: request)?.text == "old")
  }

  @Test func `refreshing is called off by the shutdown, at its limit`() async throws {
    try await keep()
    #expect(try await stage.client.send(request.timeout(.seconds(99))).text == "old")
    try await stage.stub.waitForRequests(2)
    let shutdown = Task { await stage.client.shutdown(within: .seconds(5)) }
    try await stage.clock.waitForSleepers(2)
    stage.clock.advance(by: .seconds(5))
    await shutdown.value
    #expect(stage.stub.cancelled == 1)
    await stage.expectNothingLeft()
  }

  @Test func `refreshing has the request's deadline, and its own time`() async throws {
    try await keep()
    stage.clock.advance(by: .seconds(100))
    let limited = request.timeout(.seconds(99)).deadline(.seconds(3))
    #expect(try await stage.client.send(limited).text == "old")
    try await stage.clock.waitForSleepers(2)
    stage.clock.advance(by: .seconds(3))
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 1)
    #expect(stage.clock.sleepers == 0)
  }

  @Test func `a refresh that fails leaves what is kept, and says nothing`() async throws {
    try await keep()
    script.now = .answer(status: 404)
    #expect(try await stage.client.send(request).text == "old")
    await stage.expectNothingLeft()
    #expect(try await stage.client.keptAnswer(to: request)?.text == "old")
  }

  @Test func `cancelling the task that was answered does not stop the refresh`() async throws {
    try await keep()
    let gate = StubGate()
    script.now = .answer(body: "new").behind(gate)
    let task = Task { try await stage.client.send(request) }
    #expect(try await task.value.text == "old")
    task.cancel()
    gate.open()
    await stage.expectNothingLeft()
    #expect(try await stage.client.keptAnswer(to: request)?.text == "new")
  }
}
