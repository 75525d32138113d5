import ErrandTesting
import Testing

@testable import ErrandCore

/// A shared request that is tried again.
@Suite struct SharedRetryTests {
  private static let busy = StubStep.answer(status: 503, fields: ["Retry-After": "2"])
  private let request = Request.get("http://a.test/feed").priority(.background).shared()

  @Test func `one who joins between two tries gets the second's answer, and its progress`() async throws {
    let stage = Stage { $0.index == 0 ? Self.busy : .answer(body: "0123456789") }
    let (early, late) = (Told(), Told())
    let first = Task { try await stage.client.send(request, progress: early.hear) }
    try await stage.clock.waitForSleepers(1)
    let second = Task { try await stage.client.send(request, progress: late.hear) }
    try await stage.reachSharing(2, request)
    stage.clock.advance(by: .seconds(2))
    for task in [first, second] {
      let answer = try await task.value
      #expect(answer.text == "0123456789")
      #expect(answer.timing.tries == 2)
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

  @Test func `one who joins makes it as urgent, while it waits for a slot`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits.total = 1 }.answering { request in
      request.path == "/first" ? .answer().behind(gate) : .answer()
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

  @Test func `one who joins makes its next try as urgent`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits.total = 1 }.answering { request in
      if request.path == "/first" { return .answer().behind(gate) }
      return request.index == 0 ? Self.busy : .answer()
    }
    var calls = [stage.client.start(request)]
    try await stage.clock.waitForSleepers(1)
    calls.append(stage.client.start(.get("http://a.test/first")))
    try await stage.stub.waitForRequests(2)
    calls.append(stage.client.start(.get("http://a.test/other")))
    await stage.reachWaiting(1)
    calls.append(stage.client.start(request.priority(.userInitiated)))
    try await stage.reachSharing(2, request)
    stage.clock.advance(by: .seconds(2))
    await stage.reachWaiting(2)
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.paths == ["/feed", "/first", "/feed", "/other"])
  }

  @Test func `a caller that becomes urgent later takes the request along`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits.total = 1 }.answering { request in
      request.path == "/first" ? .answer().behind(gate) : .answer()
    }
    var calls = [stage.client.start(.get("http://a.test/first"))]
    try await stage.stub.waitForRequests(1)
    let shared = stage.client.start(request)
    await stage.reachWaiting(1)
    calls += [shared, stage.client.start(.get("http://a.test/other"))]
    await stage.reachWaiting(2)
    shared.raisePriority(to: .userInitiated)
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.paths == ["/first", "/feed", "/other"])
  }
}
