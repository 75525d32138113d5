import ErrandTesting
import Testing

@testable import ErrandCore

/// Interceptors of tries that send requests themselves where there is only one slot: their own request has none yet.
@Suite struct NestedRequestsTests {
  private let token = Request.post("http://a.test/token").shared(key: "token")

  private func stage(
    _ interceptor: SendsBefore, _ handler: @escaping StubTransport.Handler = { _ in .answer() }
  ) -> Stage {
    let stage = Stage(
      configured: {
        $0.limits.total = 1
        $0.attemptInterceptors = [interceptor]
      }, handler)
    interceptor.client.withLock { $0 = stage.client }
    return stage
  }

  /// A stage whose only slot another call has, until the gate is opened.
  private func taken(_ interceptor: SendsBefore) async throws -> (Stage, Call, StubGate) {
    let gate = StubGate()
    let stage = stage(interceptor) { $0.path == "/first" ? .answer().behind(gate) : .answer() }
    let holder = stage.client.start(.get("http://a.test/first"))
    try await stage.stub.waitForRequests(1)
    return (stage, holder, gate)
  }

  private func data() -> Request { .get("http://a.test/data") }

  @Test func `what they send takes the only slot, and theirs takes it after that`() async throws {
    let interceptor = SendsBefore("/data") { .post("http://a.test/token").triesAtOnce(2) }
    let stage = stage(interceptor) { $0.index == 0 ? .fail(.cannotConnect, reachedServer: false) : .answer() }
    interceptor.gate.open()
    _ = try await stage.client.send(data())
    #expect(stage.paths == ["/token", "/token", "/data"])
    #expect(stage.stub.mostInFlight == 1)
    await stage.expectNothingLeft()
    interceptor.client.withLock { $0 = nil }
  }

  @Test func `what they share with others who wait for a slot does not wait for theirs`() async throws {
    let interceptor = SendsBefore("/data") { [token] in token }
    let (stage, holder, slot) = try await taken(interceptor)
    let outside = stage.client.start(token)
    await stage.reachWaiting(1)
    let outer = stage.client.start(data())
    try await interceptor.reached.pass()
    interceptor.gate.open()
    try await stage.reachSharing(2, token)
    #expect(stage.load.waiting == 1)
    slot.open()
    _ = try await (holder.value, outer.value, outside.value)
    #expect(stage.paths == ["/first", "/token", "/data"])
    await stage.expectNothingLeft()
    interceptor.client.withLock { $0 = nil }
  }

  @Test func `what they share with others that is tried again does not wait for theirs either`() async throws
  {
    let token = token.idempotencyKey("1")
    let interceptor = SendsBefore("/data") { token }
    let stage = stage(interceptor) { request in
      request.index == 0 ? .answer(status: 503, fields: ["Retry-After": "2"]) : .answer()
    }
    let outside = stage.client.start(token)
    try await stage.clock.waitForSleepers(1)
    let outer = stage.client.start(data())
    try await interceptor.reached.pass()
    interceptor.gate.open()
    try await stage.reachSharing(2, token)
    stage.clock.advance(by: .seconds(2))
    _ = try await (outer.value, outside.value)
    #expect(stage.paths == ["/token", "/token", "/data"])
    await stage.expectNothingLeft()
    interceptor.client.withLock { $0 = nil }
  }

  @Test func `a call that what they send waits for does not wait for theirs`() async throws {
    let script = Locked<Request>(.get("http://a.test/profile"))
    let interceptor = SendsBefore("/data") { script.withLock { $0 } }
    let (stage, holder, slot) = try await taken(interceptor)
    let outer = stage.client.start(data())
    try await interceptor.reached.pass()
    let login = stage.client.start(.post("http://a.test/login"))
    await stage.reachWaiting(1)
    script.withLock { $0 = $0.after(login) }
    interceptor.gate.open()
    slot.open()
    _ = try await (holder.value, outer.value, login.value)
    #expect(stage.paths == ["/first", "/login", "/profile", "/data"])
    interceptor.client.withLock { $0 = nil }
  }

  @Test func `through another client and back again it finds a slot too`() async throws {
    let (there, back) = (
      SendsBefore("/data") { .get("http://b.test/signature") },
      SendsBefore("/signature") { .get("http://a.test/key") }
    )
    there.gate.open()
    back.gate.open()
    let (stage, other) = (stage(there), stage(back))
    there.client.withLock { $0 = other.client }
    back.client.withLock { $0 = stage.client }
    _ = try await stage.client.send(data())
    #expect(stage.paths == ["/key", "/data"])
    #expect(other.paths == ["/signature"])
    there.client.withLock { $0 = nil }
    back.client.withLock { $0 = nil }
  }
}
