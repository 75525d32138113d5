import ErrandTesting
import Testing

@testable import ErrandCore

/// Callers that share a request have separate deadlines.
@Suite struct SharedDeadlineTests {
  private let request = Request.get("http://a.test/feed").shared()

  @Test func `a caller's deadline ends only that caller's wait`() async throws {
    let gate = StubGate()
    let stage = Stage { _ in .response(body: "feed").behind(gate) }
    let short = stage.client.start(request.deadline(.seconds(1)))
    let long = stage.client.start(request.deadline(.seconds(5)))
    let patient = stage.client.start(request)
    try await stage.reachSharing(3, request)
    try await stage.clock.waitForSleepers(1)
    await stage.clock.advance(by: .seconds(1))
    #expect(await short.result.requestError?.code == .deadlineExceeded)
    #expect(long.outcome == nil)
    await stage.clock.advance(by: .seconds(4))
    #expect(await long.result.requestError?.code == .deadlineExceeded)
    #expect(stage.stub.cancelled == 0)
    gate.open()
    #expect(try await patient.value.text == "feed")
    #expect(stage.stub.requests.count == 1)
    await stage.expectNothingLeft()
    #expect(stage.clock.sleepers == 0)
  }

  @Test func `a call that ends while the shared request is in transfer counts as having reached the server`()
    async throws
  {
    let gate = StubGate()
    let stage = Stage { _ in .response(body: "feed").behind(gate) }
    let short = stage.client.start(request.deadline(.seconds(1)))
    let cancelled = stage.client.start(request)
    try await stage.reachSharing(2, request)
    try await stage.stub.waitForRequests(1)
    try await stage.clock.waitForSleepers(1)
    await stage.clock.advance(by: .seconds(1))
    #expect(await short.result.requestError?.reachedServer == true)
    cancelled.cancel()
    #expect(await cancelled.result.requestError?.reachedServer == true)
    gate.open()
    await stage.expectNothingLeft()
  }

  @Test func `the last caller's deadline cancels the shared request`() async throws {
    let stage = Stage.configured { $0.timeout = .seconds(99) }.responding { _ in .stall }
    let calls = (1...3).map { stage.client.start(request.deadline(.seconds($0))) }
    try await stage.clock.waitForSleepers(2)
    try await stage.reachSharing(3, request)
    for call in calls {
      await stage.clock.advance(by: .seconds(1))
      #expect(await call.result.requestError?.code == .deadlineExceeded)
    }
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 1)
  }

  @Test func `the deadline of a later caller counts from its own call`() async throws {
    let gate = StubGate()
    let stage = Stage { _ in .response().behind(gate) }
    let first = stage.client.start(request)
    try await stage.reachSharing(1, request)
    await stage.clock.advance(by: .seconds(10))
    let late = stage.client.start(request.deadline(.seconds(2)))
    try await stage.reachSharing(2, request)
    try await stage.clock.waitForSleepers(1)
    await stage.clock.advance(by: .seconds(1))
    #expect(late.outcome == nil)
    await stage.clock.advance(by: .seconds(1))
    #expect(await late.result.requestError?.code == .deadlineExceeded)
    gate.open()
    _ = try await first.value
  }
}
