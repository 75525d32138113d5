import ErrandTesting
import Testing

@testable import ErrandCore

/// A shared request that is retried.
@Suite(.timeLimit(.minutes(1))) struct SharedRetryTests {
  private static let busy = StubStep.response(status: 503, fields: ["Retry-After": "2"])
  private let request = Request.get("http://a.test/feed").priority(.background).shared()

  @Test func `a caller that joins between two attempts gets the response and progress of the second`()
    async throws
  {
    let stage = Stage { $0.index == 0 ? Self.busy : .response(body: "0123456789") }
    let (early, late) = (Told(), Told())
    let first = Task { try await stage.client.send(request, progress: early.hear) }
    try await stage.clock.waitForSleepers(1)
    let second = Task { try await stage.client.send(request, progress: late.hear) }
    try await stage.reachSharing(2, request)
    await stage.clock.advance(by: .seconds(2))
    for task in [first, second] {
      let response = try await task.value
      #expect(response.text == "0123456789")
      #expect(response.timing.attempts == 2)
    }
    for told in [early, late] {
      #expect(told.isMonotone)
      #expect(told.words.last?.attempt == 2)
      #expect(told.words.last?.received == 10)
      #expect(told.words.last?.receivedTotal == 10)
    }
    #expect(early.words.first?.attempt == 1)
    #expect(stage.stub.requests.count == 2)
  }

  @Test func `a caller that joins a queued request raises its priority`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits.total = 1 }.responding { request in
      request.path == "/first" ? .response().behind(gate) : .response()
    }
    var calls = [stage.client.start(.get("http://a.test/first"))]
    try await stage.stub.waitForRequests(1)
    calls.append(stage.client.start(request))
    await stage.reachWaiting(1)
    calls.append(stage.client.start(.get("http://a.test/other")))
    await stage.reachWaiting(2)
    calls.append(stage.client.start(request.priority(.userInitiated)))
    try await stage.reachSharing(2, request)
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.paths == ["/first", "/feed", "/other"])
  }

  @Test func `a caller that joins between two attempts raises the priority of the next one`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits.total = 1 }.responding { request in
      if request.path == "/first" { return .response().behind(gate) }
      return request.index == 0 ? Self.busy : .response()
    }
    var calls = [stage.client.start(request)]
    try await stage.clock.waitForSleepers(1)
    calls.append(stage.client.start(.get("http://a.test/first")))
    try await stage.stub.waitForRequests(2)
    calls.append(stage.client.start(.get("http://a.test/other")))
    await stage.reachWaiting(1)
    calls.append(stage.client.start(request.priority(.userInitiated)))
    try await stage.reachSharing(2, request)
    await stage.clock.advance(by: .seconds(2))
    await stage.reachWaiting(2)
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.paths == ["/feed", "/first", "/feed", "/other"])
  }

  @Test func `a caller whose priority rises later raises the shared request`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits.total = 1 }.responding { request in
      request.path == "/first" ? .response().behind(gate) : .response()
    }
    var calls = [stage.client.start(.get("http://a.test/first"))]
    try await stage.stub.waitForRequests(1)
    let shared = stage.client.start(request)
    await stage.reachWaiting(1)
    calls += [shared, stage.client.start(.get("http://a.test/other"))]
    await stage.reachWaiting(2)
    shared.raisePriority(to: .userInitiated)
    try await stage.reachSharedPriority(.userInitiated, request)
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.paths == ["/first", "/feed", "/other"])
  }
}
