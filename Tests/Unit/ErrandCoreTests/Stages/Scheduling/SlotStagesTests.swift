import ErrandTesting
import Testing

@testable import ErrandCore

/// The stages in which a request holds a slot.
@Suite struct SlotStagesTests {
  private static let busy = StubStep.response(status: 503, fields: ["Retry-After": "2"])

  private func stage(_ handler: @escaping StubTransport.Handler) -> Stage {
    Stage(configured: { $0.limits.total = 1 }, handler)
  }

  private func get(_ path: String) -> Request { .get("http://a.test/\(path)") }

  @Test func `a retry goes to the tail, behind requests that arrived meanwhile`() async throws {
    let gate = StubGate()
    let stage = stage { $0.index == 0 ? .fail(.connectionLost).behind(gate) : .response() }
    var calls: [Call] = []
    for (index, path) in ["first", "second", "third"].enumerated() {
      calls.append(stage.client.start(get(path)))
      if index == 0 { try await stage.stub.waitForRequests(1) } else { await stage.reachWaiting(index) }
    }
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.paths == ["/first", "/second", "/third", "/first"])
    #expect(stage.stub.mostInFlight == 1)
  }

  @Test func `a request that waits for its next attempt holds no slot`() async throws {
    let stage = stage { $0.index == 0 ? Self.busy : .response() }
    let call = stage.client.start(get("busy"))
    try await stage.clock.waitForSleepers(1)
    #expect(stage.load == SlotLoad())
    #expect(try await stage.client.send(get("other")).status == 200)
    await stage.clock.advance(by: .seconds(2))
    #expect(try await call.value.timing.attempts == 2)
  }

  @Test func `a request that waits for another call holds no slot`() async throws {
    let stage = stage { $0.index == 0 ? Self.busy : .response() }
    let first = stage.client.start(get("busy"))
    try await stage.clock.waitForSleepers(1)
    let after = stage.client.start(get("after").after(first))
    #expect(try await stage.client.send(get("other")).status == 200)
    await stage.clock.advance(by: .seconds(2))
    _ = try await after.value
    #expect(stage.paths == ["/busy", "/other", "/busy", "/after"])
  }

  @Test func `callers that share a request hold one slot`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits.total = 2 }.responding { _ in .response().behind(gate) }
    let calls = (0..<9).map { _ in stage.client.start(get("feed").shared()) }
    try await stage.reachSharing(9, get("feed").shared())
    let other = stage.client.start(get("other"))
    try await stage.stub.waitForRequests(2)
    #expect(stage.load.running == 2)
    gate.open()
    for call in calls + [other] { _ = try await call.value }
    await stage.expectNothingLeft()
  }

  @Test func `a request without a slot neither waits for one nor holds one`() async throws {
    let gate = StubGate()
    let stage = stage { _ in .response().behind(gate) }
    var own = get("own")
    own.options.takesNoSlot = true
    let calls = [own, get("first"), own, own.shared()].map { stage.client.start($0) }
    try await stage.stub.waitForRequests(4)
    #expect(stage.load.running == 1)
    gate.open()
    for call in calls { _ = try await call.value }
    await stage.expectNothingLeft()
  }

  @Test func `the queue time includes the wait for a slot`() async throws {
    let gate = StubGate()
    let stage = stage { $0.index == 0 ? .response().behind(gate) : .response() }
    let first = stage.client.start(get("first"))
    try await stage.stub.waitForRequests(1)
    let second = stage.client.start(get("second"))
    await stage.reachWaiting(1)
    await stage.clock.advance(by: .seconds(3))
    gate.open()
    #expect(try await first.value.timing.queue == .zero)
    #expect(try await second.value.timing.queue == .seconds(3))
  }

  @Test func `a request that is cancelled while it waits is never sent`() async throws {
    let gate = StubGate()
    let stage = stage { _ in .response().behind(gate) }
    let first = stage.client.start(get("first"))
    try await stage.stub.waitForRequests(1)
    let scope = RequestScope("page")
    let waiting = (0..<3).map { stage.client.start(get("\($0)"), in: scope) }
    await stage.reachWaiting(3)
    let task = Task { try await stage.client.send(get("task")) }
    await stage.reachWaiting(4)
    waiting[0].cancel()
    scope.end()
    task.cancel()
    #expect(await waiting[0].result.requestError?.cancellation == .callCancelled)
    #expect(await waiting[1].result.requestError?.cancellation == .scopeEnded("page"))
    await #expect { try await task.value } throws: { $0.isCancellation }
    gate.open()
    _ = try await first.value
    await stage.expectNothingLeft()
    #expect(stage.paths == ["/first"])
  }

  @Test(arguments: [
    ("http://a.test", "http://a.test:80"), ("https://A.test:8443/p?u=http://x:1/", "https://a.test:8443"),
    ("http://u@x:p@a.test:0081/", "http://a.test:81"), ("http://[::1]:8080/", "http://[::1]:8080"),
    ("http://%61.test/", "http://a.test:80"), ("https://a.test:/", "https://a.test:443"),
  ])
  func `an origin's name is its scheme, host and port`(url: String, name: String) {
    #expect(Address(url).originName == name)
  }

  @Test func `limits may be changed while requests run and wait`() async throws {
    let gate = StubGate()
    let stage = stage { _ in .response().behind(gate) }
    let calls = (0..<6).map { stage.client.start(get("\($0)")) }
    await stage.reachWaiting(5)
    stage.client.limits.total = 4
    try await stage.stub.waitForRequests(4)
    #expect(stage.load.running == 4)
    stage.client.limits = ConcurrencyLimits(total: 2)
    #expect(stage.load.waiting == 2)
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.stub.mostInFlight == 4)
    await stage.expectNothingLeft()
  }

  @Test func `all spellings of an origin are the same origin, and each port is a different one`() async throws
  {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits = ConcurrencyLimits(total: 9, perOrigin: 1) }.responding { _ in
      .response().behind(gate)
    }
    let same = [
      "http://a.test/", "http://A.TEST?q", "HTTP://a.test:80/x", "http://me:x@a.test#f", "http://a.test:",
    ]
    let others = ["http://b.test/", "https://a.test/", "http://a.test:81/", "http://a.test:443/"]
    let calls = (same + others).map { stage.client.start(.get($0)) }
    try await stage.stub.waitForRequests(5)
    await stage.reachWaiting(4)
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.stub.mostInFlight == 5)
  }
}
