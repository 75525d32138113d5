import ErrandTesting
import Testing

@testable import ErrandCore

/// Deadlines of requests that can fall back on a cached response.
@Suite struct CacheDeadlineTests {
  private let script = Script(.response(body: "old"))
  private let stage: Stage
  private let request = Request.get("http://a.test/feed").cached(as: "feed", .staleIfError).deadline(
    .seconds(3))

  init() {
    stage = Stage.configured { $0.limits.total = 1 }.responding { [script] request in
      request.path == "/feed" ? script.now : .response()
    }
  }

  private func expectFallback(_ call: Call, isKept: Bool) async throws {
    await stage.clock.advance(by: .seconds(3))
    let result = await call.result
    #expect(result.text == (isKept ? "old" : nil))
    #expect(result.requestError?.code == (isKept ? nil : .deadlineExceeded))
  }

  private func keep(_ isKept: Bool) async throws {
    if isKept { try await stage.client.send(request) }
    script.now = .stall
  }

  /// Returns a call that is in flight, in the only slot, until its gate opens.
  private func occupy() async -> (call: Call, gate: StubGate) {
    let gate = StubGate()
    script.now = .response().behind(gate)
    let call = stage.client.start(.get("http://a.test/feed"))
    while stage.stub.inFlight == 0 { await Task.yield() }
    return (call, gate)
  }

  @Test(arguments: [true, false])
  func `a call falls back when the server does not respond in time`(isKept: Bool) async throws {
    try await keep(isKept)
    let call = stage.client.start(request.timeout(.seconds(99)))
    try await stage.clock.waitForSleepers(2)
    try await expectFallback(call, isKept: isKept)
    #expect(stage.stub.cancelled == 1)
    await stage.expectNothingLeft()
    #expect(stage.clock.sleepers == 0)
  }

  @Test(arguments: [true, false])
  func `a call falls back while it waits for a slot`(isKept: Bool) async throws {
    try await keep(isKept)
    let (first, gate) = await occupy()
    let call = stage.client.start(request)
    await stage.reachWaiting(1)
    try await stage.clock.waitForSleepers(1)
    try await expectFallback(call, isKept: isKept)
    gate.open()
    _ = try await first.value
    await stage.expectNothingLeft()
  }

  @Test(arguments: [true, false])
  func `a call falls back while it waits for another call`(isKept: Bool) async throws {
    try await keep(isKept)
    let (first, gate) = await occupy()
    let call = stage.client.start(request.after(first))
    try await stage.clock.waitForSleepers(1)
    try await expectFallback(call, isKept: isKept)
    gate.open()
    _ = try await first.value
    await stage.expectNothingLeft()
  }

  @Test(arguments: [true, false])
  func `each caller of a shared request falls back at its own deadline`(isKept: Bool) async throws {
    try await keep(isKept)
    let shared = request.shared().timeout(.seconds(99))
    let (short, long) = (stage.client.start(shared), stage.client.start(shared.deadline(.seconds(6))))
    try await stage.reachSharing(2, shared)
    try await stage.clock.waitForSleepers(2)
    try await expectFallback(short, isKept: isKept)
    #expect(long.outcome == nil)
    #expect(stage.stub.cancelled == 0)
    try await expectFallback(long, isKept: isKept)
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 1)
  }

  @Test func `callers of a shared request fall back when that request fails`() async throws {
    try await keep(true)
    script.now = .fail(.cannotConnect, reachedServer: false)
    let calls = (0..<3).map { _ in stage.client.start(request.shared().bestEffort()) }
    for call in calls { #expect(try await call.value.text == "old") }
  }

  @Test func `a cancelled call does not fall back`() async throws {
    try await keep(true)
    let scope = RequestScope("page")
    let call = stage.client.start(request.timeout(.seconds(99)), in: scope)
    try await stage.clock.waitForSleepers(2)
    scope.end()
    #expect(await call.result.requestError?.cancellation == .scopeEnded("page"))
    await stage.expectNothingLeft()
  }
}
