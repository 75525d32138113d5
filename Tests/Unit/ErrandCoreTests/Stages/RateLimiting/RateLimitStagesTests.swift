import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Calls of a client with rate limits.
@Suite struct RateLimitStagesTests {
  private static let perSecond = RateLimit(requests: 1, per: .seconds(1))

  private func stage(
    _ limit: RateLimit? = perSecond, _ handler: @escaping StubTransport.Handler = { _ in .response() }
  ) -> Stage {
    Stage(configured: { $0.rateLimits.perOrigin = limit }, handler)
  }

  private func get(_ path: String, host: String = "a.test") -> Request { .get("http://\(host)/\(path)") }

  private func reachWaiting(_ count: Int, _ stage: Stage) async {
    while stage.client.pipeline.rateLimiter.waiting != count { await Task.yield() }
  }

  private func expectNothingLeft(_ stage: Stage) async {
    await stage.expectNothingLeft()
    #expect(stage.client.pipeline.rateLimiter.waiting == 0)
    #expect(stage.client.pipeline.rateLimiter.inFlight == 0)
  }

  @Test func `requests over the limit wait, and the wait shows in their timing and events`() async throws {
    let recorder = EventRecorder()
    let stage = Stage.configured {
      $0.rateLimits.perOrigin = RateLimit(requests: 2, per: .seconds(1), burst: 2)
      $0.listeners = [recorder]
    }.responding { _ in .response() }
    for path in ["1", "2"] { #expect(try await stage.client.send(get(path)).timing.queue == .zero) }
    let third = stage.client.start(get("3"))
    await reachWaiting(1, stage)
    #expect(stage.load.waiting == 0)
    await stage.clock.advance(by: .milliseconds(499))
    #expect(stage.paths.count == 2)
    await stage.clock.advance(by: .milliseconds(1))
    #expect(try await third.value.timing.queue == .milliseconds(500))
    let texts = recorder.steps(of: recorder.calls.last)
    #expect(texts.contains("waits for the rate limit"))
    #expect(recorder.problems.isEmpty)
    await expectNothingLeft(stage)
  }

  @Test func `a client without limits does not pass the stage, and one request may`() async throws {
    let stage = stage(nil)
    for number in 0..<5 { try await stage.client.send(get("\(number)")) }
    #expect(stage.client.pipeline.rateLimiter.count == 0)
    let limited = get("x").rateLimited(by: "customer", Self.perSecond)
    try await stage.client.send(limited)
    let second = stage.client.start(limited)
    await reachWaiting(1, stage)
    try await stage.client.send(get("y"))
    try await stage.client.send(get("z").rateLimited(by: "other customer", Self.perSecond))
    await stage.clock.advance(by: .seconds(1))
    _ = try await second.value
    await expectNothingLeft(stage)
  }

  @Test func `each attempt takes a token`() async throws {
    let stage = stage { $0.index < 2 ? .response(status: 503) : .response() }
    let call = stage.client.start(get("busy").attemptsAtOnce(3))
    for second in 0..<2 {
      await reachWaiting(1, stage)
      #expect(stage.paths.count == second + 1)
      await stage.clock.advance(by: .seconds(1))
    }
    let timing = try await call.value.timing
    #expect(timing.attempts == 3)
    #expect(timing.queue == .seconds(2))
    await expectNothingLeft(stage)
  }

  @Test func `a redirect takes no token, and an origin's own limit replaces the limit of all`() async throws {
    let stage = Stage.configured {
      $0.rateLimits.perOrigin = Self.perSecond
      if let other = URL(string: "http://free.test/some/path") { $0.rateLimits[other] = .unlimited }
    }.responding {
      $0.path == "/moved" ? .response(status: 302, fields: ["Location": "http://b.test/there"]) : .response()
    }
    try await stage.client.send(get("moved"))
    try await stage.client.send(get("other", host: "b.test"))
    for number in 0..<20 { try await stage.client.send(get("\(number)", host: "free.test")) }
    #expect(stage.paths.count == 23)
    let waiting = stage.client.start(get("again"))
    await reachWaiting(1, stage)
    await stage.clock.advance(by: .seconds(1))
    _ = try await waiting.value
  }

  @Test func `a waiting call ends at its deadline, or when it is cancelled`() async throws {
    let stage = stage(RateLimit(requests: 1, per: .seconds(100)))
    try await stage.client.send(get("first"))
    let late = stage.client.start(get("late").deadline(.seconds(5)))
    let cancelled = stage.client.start(get("cancelled"))
    let scope = RequestScope("page")
    let scoped = stage.client.start(get("scoped"), in: scope)
    await reachWaiting(3, stage)
    cancelled.cancel()
    let error = await #expect(throws: RequestError.self) { try await cancelled.value }
    #expect(error?.code == .cancelled && error?.reachedServer == false)
    scope.end()
    await #expect(throws: RequestError.self) { try await scoped.value }
    #expect(stage.client.pipeline.rateLimiter.waiting == 1)
    await stage.clock.advance(by: .seconds(5))
    let failure = await #expect(throws: RequestError.self) { try await late.value }
    #expect(failure?.code == .deadlineExceeded)
    #expect(stage.paths == ["/first"])
    await expectNothingLeft(stage)
  }

  @Test func `a call whose priority rises overtakes others that wait`() async throws {
    let stage = stage()
    try await stage.client.send(get("0"))
    var calls: [Call] = []
    for number in 1...3 {
      calls.append(stage.client.start(get("\(number)").priority(.background)))
      await reachWaiting(number, stage)
    }
    calls[2].raisePriority(to: .userInitiated)
    for _ in 0..<3 { await stage.clock.advance(by: .seconds(1)) }
    for call in calls { _ = try await call.value }
    #expect(stage.paths == ["/0", "/3", "/1", "/2"])
    await expectNothingLeft(stage)
  }

  @Test func `an attempt waits for the rate limit without a slot, and is signed after the wait`() async throws
  {
    let signer = NumberingSigner()
    let stage = Stage.configured {
      $0.rateLimits.perOrigin = Self.perSecond
      $0.limits.total = 1
    }.responding { _ in .response() }
    try await stage.client.send(get("0"))
    let waiting = stage.client.start(get("1").signed(by: signer))
    await reachWaiting(1, stage)
    #expect(stage.load == SlotLoad())
    #expect(signer.seen.count == 0)
    try await stage.client.send(get("other", host: "b.test"))
    await stage.clock.advance(by: .seconds(1))
    _ = try await waiting.value
    #expect(signer.seen.count == 1)
  }

  @Test func `attempts that waited for a slot begin no faster than the rate`() async throws {
    let gate = StubGate()
    let stage = Stage.configured {
      $0.rateLimits.perOrigin = RateLimit(requests: 1, per: .seconds(1), burst: 2)
      $0.limits.total = 1
    }.responding { $0.path == "/slow" ? .response().behind(gate) : .response() }
    let slow = stage.client.start(get("slow"))
    try await stage.stub.waitForRequests(1)
    let calls = (1...5).map { stage.client.start(get("\($0)")) }
    await stage.reachWaiting(1)
    // The slot is taken for a long time, in which the bucket would have filled.
    await stage.clock.advance(by: .seconds(60))
    gate.open()
    _ = try await slow.value
    for count in 3...6 {
      try await stage.stub.waitForRequests(count)
      #expect(stage.paths.count == count)
      await stage.clock.advance(by: .seconds(1))
    }
    for call in calls { _ = try await call.value }
    await expectNothingLeft(stage)
  }

  @Test func `a signer may send a request that needs the next token`() async throws {
    let client = Locked<Client?>(nil)
    let stage = stage()
    client.withLock { $0 = stage.client }
    let signer = NumberingSigner { _ in
      _ = try await client.withLock { $0 }?.send(.get("http://a.test/nonce"))
    }
    let call = stage.client.start(get("signed").signed(by: signer))
    await reachWaiting(1, stage)
    #expect(stage.paths.isEmpty)
    await stage.clock.advance(by: .seconds(1))
    _ = try await call.value
    #expect(stage.paths == ["/nonce", "/signed"])
    client.withLock { $0 = nil }
    await expectNothingLeft(stage)
  }

  @Test func `an attempt that never began takes no token`() async throws {
    let gate = StubGate()
    let stage = Stage.configured {
      $0.rateLimits.perOrigin = RateLimit(requests: 1, per: .seconds(1000), burst: 2)
      $0.limits.total = 1
    }.responding { $0.path == "/slow" ? .response().behind(gate) : .response() }
    let slow = stage.client.start(get("slow"))
    try await stage.stub.waitForRequests(1)
    let cancelled = stage.client.start(get("cancelled"))
    await stage.reachWaiting(1)
    cancelled.cancel()
    await #expect(throws: RequestError.self) { try await cancelled.value }
    gate.open()
    _ = try await slow.value
    try await stage.client.send(get("next"))
    #expect(stage.paths == ["/slow", "/next"])
    await expectNothingLeft(stage)
  }

  @Test func `a client that is shut down ends the waiting calls`() async throws {
    let stage = stage(RateLimit(requests: 1, per: .seconds(1000)))
    try await stage.client.send(get("0"))
    let calls = (0..<10).map { stage.client.start(get("\($0)")) }
    await reachWaiting(10, stage)
    await stage.client.shutdown(within: .zero)
    for call in calls { await #expect(throws: RequestError.self) { try await call.value } }
    await expectNothingLeft(stage)
  }
}
