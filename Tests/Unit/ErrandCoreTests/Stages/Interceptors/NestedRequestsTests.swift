import ErrandTesting
import Testing

@testable import ErrandCore

/// Attempt interceptors that send requests while there is only one slot: the outer request holds no slot yet.
@Suite struct NestedRequestsTests {
  private let token = Request.post("http://a.test/token").shared(key: "token")

  private func stage(
    _ interceptor: SendsBefore, _ handler: @escaping StubTransport.Handler = { _ in .response() }
  ) -> Stage {
    let stage = Stage(
      configured: {
        $0.limits.total = 1
        $0.attemptInterceptors = [interceptor]
      }, handler)
    interceptor.client.withLock { $0 = stage.client }
    return stage
  }

  /// Returns a stage whose only slot is held by another call until the gate opens.
  private func taken(_ interceptor: SendsBefore) async throws -> (Stage, Call, StubGate) {
    let gate = StubGate()
    let stage = stage(interceptor) { $0.path == "/first" ? .response().behind(gate) : .response() }
    let holder = stage.client.start(.get("http://a.test/first"))
    try await stage.stub.waitForRequests(1)
    return (stage, holder, gate)
  }

  private func data() -> Request { .get("http://a.test/data") }

  @Test func `a nested request takes the only slot, and the outer one takes it afterwards`() async throws {
    let interceptor = SendsBefore("/data") { .post("http://a.test/token").attemptsAtOnce(2) }
    let stage = stage(interceptor) {
      $0.index == 0 ? .fail(.cannotConnect, reachedServer: false) : .response()
    }
    interceptor.gate.open()
    _ = try await stage.client.send(data())
    #expect(stage.paths == ["/token", "/token", "/data"])
    #expect(stage.stub.mostInFlight == 1)
    await stage.expectNothingLeft()
    interceptor.client.withLock { $0 = nil }
  }

  @Test func `a nested request that is shared with a waiting call does not wait for the outer one`()
    async throws
  {
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

  @Test func `a nested request that is shared with a retried one does not wait for the outer one`()
    async throws
  {
    let token = token.idempotencyKey("1")
    let interceptor = SendsBefore("/data") { token }
    let stage = stage(interceptor) { request in
      request.index == 0 ? .response(status: 503, fields: ["Retry-After": "2"]) : .response()
    }
    let outside = stage.client.start(token)
    try await stage.clock.waitForSleepers(1)
    let outer = stage.client.start(data())
    try await interceptor.reached.pass()
    interceptor.gate.open()
    try await stage.reachSharing(2, token)
    await stage.clock.advance(by: .seconds(2))
    _ = try await (outer.value, outside.value)
    #expect(stage.paths == ["/token", "/token", "/data"])
    await stage.expectNothingLeft()
    interceptor.client.withLock { $0 = nil }
  }

  @Test func `a call that a nested request waits for does not wait for the outer one`() async throws {
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

  @Test func `a nested request that returns through another client finds a slot`() async throws {
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

  /// Sends a request before each request that it receives, and counts them.
  private final class SendsAlways: Interceptor {
    let client = Locked<Client?>(nil)
    let count = Locked(0)
    private let other: @Sendable () -> Request

    init(_ other: @escaping @Sendable () -> Request) { self.other = other }

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      count.withLock { $0 += 1 }
      try await client.withLock { $0 }?.send(other())
      return try await next(request)
    }
  }

  @Test(arguments: [false, true])
  func `an interceptor that sends its request through its own client is refused`(aroundCall: Bool)
    async throws
  {
    for isShared in [false, true] {
      let interceptor = SendsAlways {
        isShared ? .get("http://a.test/token").shared() : .get("http://a.test/token")
      }
      let stage = Stage(
        configured: {
          if aroundCall { $0.interceptors = [interceptor] } else { $0.attemptInterceptors = [interceptor] }
        },
        { _ in .response() })
      interceptor.client.withLock { $0 = stage.client }
      let error = await stage.client.start(data()).result.requestError
      #expect(error?.code == .unsupported && error?.reachedServer == false)
      #expect(
        error?.description.contains("through a client without it") == true, "\(String(describing: error))")
      #expect(interceptor.count.withLock { $0 } == NestedCall.limit)
      #expect(stage.paths == [])
      await stage.expectNothingLeft()
      interceptor.client.withLock { $0 = nil }
    }
  }

  @Test func `two clients whose interceptors send through each other refuse the request`() async throws {
    let (there, back) = (SendsAlways { .get("http://b.test/") }, SendsAlways { .get("http://a.test/") })
    let stages = [there, back].map { interceptor in
      Stage(configured: { $0.interceptors = [interceptor] }, { _ in .response() })
    }
    there.client.withLock { $0 = stages[1].client }
    back.client.withLock { $0 = stages[0].client }
    #expect(await stages[0].client.start(data()).result.requestError?.code == .unsupported)
    for interceptor in [there, back] { interceptor.client.withLock { $0 = nil } }
  }

  /// Leaves behind a task that sends the next request after the call of this one has ended.
  private final class GoesOn: Interceptor {
    let client = Locked<Client?>(nil)
    let last = StubGate()
    private let ended = Locked<[StubGate]>([])

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let number = Int(request.lastComponent ?? "") ?? 0
      guard number < 3 * NestedCall.limit else {
        last.open()
        return try await next(request)
      }
      let (gate, client) = (StubGate(), client.withLock { $0 })
      Task {
        try await gate.pass()
        try await client?.send(.get("http://a.test/\(number + 1)"))
        self.ended.withLock { $0.indices.contains(number + 1) ? $0[number + 1] : nil }?.open()
      }
      ended.withLock { $0.append(gate) }
      return try await next(request)
    }

    func open() { ended.withLock { $0[0] }.open() }
  }

  @Test(.timeLimit(.minutes(1))) func `requests of tasks that interceptors left behind are not nested`()
    async throws
  {
    let interceptor = GoesOn()
    let stage = Stage(configured: { $0.interceptors = [interceptor] }, { _ in .response() })
    interceptor.client.withLock { $0 = stage.client }
    try await stage.client.send(.get("http://a.test/0"))
    interceptor.open()
    try await interceptor.last.pass()
    interceptor.client.withLock { $0 = nil }
  }
}
