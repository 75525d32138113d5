import ErrandTesting
import Synchronization
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore
@testable import ErrandObservability

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Calls with a second attempt. A response takes 10 ms, unless the test says otherwise.
@Suite struct HedgingStagesTests {
  private static let usual = Duration.milliseconds(10)
  private static let warmUps = 130

  /// Returns the response to a request of a test. The index does not count requests that warm the client up.
  private typealias Handler = @Sendable (_ index: Int, StubRequest) async throws -> StubStep

  private struct Configured {
    let change: (inout ClientConfiguration) -> Void

    func responding(_ handler: @escaping Handler) -> Stage {
      let count = Atomic(0)
      return Stage.configured(change).responding { request in
        if request.path == "/warm" { return .response(body: "warm").after(usual) }
        return try await handler(count.add(1, ordering: .relaxed).oldValue, request)
      }
    }
  }

  private func configured(_ change: @escaping (inout ClientConfiguration) -> Void) -> Configured {
    Configured(change: change)
  }

  private func stage(_ handler: @escaping Handler) -> Stage { configured { _ in }.responding(handler) }

  private func get(_ path: String = "x", after delay: HedgeDelay = .p95) -> Request {
    .get("http://a.test/\(path)").hedged(after: delay)
  }

  /// Sends requests until the delay is known, and a second attempt is allowed at once. These requests have none.
  private func warmUp(_ stage: Stage, _ count: Int = warmUps) async throws {
    let request = Request.get("http://a.test/warm").hedged(after: .seconds(9)).unauthenticated()
    try await stage.clock.run {
      for _ in 0..<count { try await stage.client.send(request) }
    }
  }

  /// Sends a request, and moves the time until its response has come.
  @discardableResult
  private func send(_ request: Request, _ stage: Stage) async throws -> Response {
    try await stage.clock.run { try await stage.client.send(request) }
  }

  private func sent(_ stage: Stage) -> [StubRequest] { stage.stub.requests.filter { $0.path != "/warm" } }

  // MARK: The rule

  @Test func `the second attempt follows after the 95th percentile, wins, and the first is cancelled`()
    async throws
  {
    let stage = stage { index, _ in .response(body: "\(index)").after(index == 0 ? .seconds(5) : Self.usual) }
    try await warmUp(stage)
    let began = stage.clock.now
    let response = try await send(get(), stage)
    #expect(response.text == "1")
    #expect(stage.clock.now.offset - began.offset == .milliseconds(20))
    #expect(response.timing.attempts == 2)
    #expect(sent(stage).count == 2)
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 1)
  }

  @Test func `a first attempt that responds in time, or before the second, wins`() async throws {
    let stage = stage { index, request in
      request.path == "/slow"
        ? .response(body: "\(index)").after(index == 1 ? .milliseconds(15) : .seconds(5))
        : .response(body: "\(index)").after(.milliseconds(9))
    }
    try await warmUp(stage)
    let quick = try await send(get("quick"), stage)
    #expect(quick.timing.attempts == 1)
    #expect(sent(stage).count == 1)
    let slow = try await send(get("slow"), stage)
    #expect(slow.text == "1" && slow.timing.attempts == 2)
    #expect(sent(stage).count == 3)
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 1)
  }

  @Test func `there is no second attempt before twenty responses, and after a fixed time there is one`()
    async throws
  {
    let stage = stage { _, _ in .response().after(.seconds(1)) }
    try await warmUp(stage, 19)
    try await send(get(), stage)
    #expect(sent(stage).count == 1)
    // The twentieth attempt was slow, and two more allow nothing else.
    try await send(get(after: .after(.milliseconds(400))), stage)
    #expect(sent(stage).count == 3)
  }

  @Test func `second attempts are at most a twentieth of the attempts`() async throws {
    let stage = stage { _, _ in .response().after(.seconds(1)) }
    try await stage.clock.run {
      for _ in 0..<200 { try await stage.client.send(get(after: .after(.milliseconds(1)))) }
    }
    #expect(sent(stage).count == 210)
  }

  @Test(arguments: [false, true])
  func `a stream of the second attempt ends when it is released`(hasListener: Bool) async throws {
    let recorder = EventRecorder()
    let stage = configured { if hasListener { $0.listeners = [recorder] } }.responding { index, _ in
      index == 0
        ? .response().after(.seconds(1))
        : .response(chunks: [ByteStream.largeChunk, ByteStream.largeChunk])
    }
    try await warmUp(stage)
    var response: Response? = try await stage.clock.run { try await stage.client.stream(get()) }
    #expect(response?.status == 200 && sent(stage).count == 2)
    response = nil
    await stage.expectNothingLeft()
  }

  @Test func `a second attempt that wins after a retry counts all requests`() async throws {
    let stage = stage { index, _ in
      switch index {
      case 0, 1: .response(status: 503).after(.milliseconds(100))
      case 2: .response(body: "first").after(.seconds(1))
      default: .response(body: "second")
      }
    }
    try await warmUp(stage)
    let response = try await send(get().attemptsAtOnce(2), stage)
    #expect(response.text == "second" && response.timing.attempts == 4)
    #expect(sent(stage).count == 4)
    await stage.expectNothingLeft()
  }

  @Test func `a response that takes long after its head has no second attempt`() async throws {
    let stage = stage { _, _ in .response(chunks: [ByteStream.largeChunk, ByteStream.largeChunk]) }
    try await warmUp(stage)
    let response = try await stage.client.stream(get())
    await stage.clock.advance(by: .seconds(1))
    #expect(sent(stage).count == 1)
    #expect(try await response.chunks.readAll() == 2 << 20)
    await stage.expectNothingLeft()
  }

  @Test func `requests that must not be sent twice have no second attempt`() async throws {
    let recorder = EventRecorder()
    let stage = configured { $0.listeners = [recorder] }.responding { _, _ in .response().after(.seconds(1)) }
    try await warmUp(stage, 200)
    let delay = HedgeDelay.after(.milliseconds(100))
    let post = Request.post("http://a.test/post", .text("x")).hedged(after: delay)
    var outbox = get("outbox", after: delay)
    outbox.options.takesNoSlot = true
    let requests = [post, outbox, .get("http://a.test/plain"), get("never", after: .never)]
    try await stage.clock.run {
      for request in requests { try await stage.client.send(request) }
    }
    #expect(sent(stage).map(\.path) == ["/post", "/outbox", "/plain", "/never"])
    // None was even begun.
    #expect(recorder.records.allSatisfy { $0.event.purpose == .caller })
    try await send(post.idempotencyKey("1"), stage)
    #expect(sent(stage).count == 6)
    #expect(Set(sent(stage).suffix(2).map { $0.fields["Idempotency-Key"] }) == ["\"1\""])
  }

  @Test func `a request that an interceptor has made unrepeatable has no second attempt`() async throws {
    struct Posting: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        var request = request
        if request.path == "/x" { request.method = .post }
        return try await next(request)
      }
    }
    let stage = configured { $0.attemptInterceptors = [Posting()] }.responding { _, _ in
      .response().after(.seconds(1))
    }
    try await warmUp(stage)
    try await send(get(), stage)
    #expect(sent(stage).map(\.method) == [.post])
    await stage.expectNothingLeft()
  }

  @Test func `a client's delay is for all requests, except those with another one`() async throws {
    let stage = configured { $0.hedging = .after(.milliseconds(50)) }.responding { _, _ in
      .response().after(.seconds(1))
    }
    try await warmUp(stage)
    try await send(.get("http://a.test/a"), stage)
    #expect(sent(stage).count == 2)
    try await send(get("b", after: .never), stage)
    #expect(sent(stage).count == 3)
  }

  @Test(arguments: [
    HedgeDelay.percentile(1), .percentile(-0.1), .percentile(.nan), .percentile(.infinity), .after(.zero),
    .after(.seconds(-1)),
  ]) func `a delay that is no delay is refused`(delay: HedgeDelay) async throws {
    let stage = stage { _, _ in .response() }
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(get(after: delay)) }
    #expect(error?.code == .invalidRequest && error?.reachedServer == false)
    #expect(stage.paths.isEmpty)
  }

  // MARK: Failures

  @Test func `a failure does not win while the other attempt runs`() async throws {
    for failing in 0...1 {
      let stage = stage { index, request in
        guard request.path == "/x" else { return .response() }
        let isFailing = index == failing
        return isFailing
          ? .response(status: 503).after(.milliseconds(index == 0 ? 15 : 1))
          : .response(body: "\(index)").after(.seconds(1))
      }
      try await warmUp(stage)
      let response = try await send(get().attempts(1), stage)
      #expect(response.text == "\(1 - failing)")
      #expect(response.timing.attempts == 2)
      #expect(stage.stub.cancelled == 0)
      await stage.expectNothingLeft()
    }
  }

  @Test func `if both attempts fail, the call gets the error of the first`() async throws {
    for isFirstEarlier in [true, false] {
      let stage = stage { index, _ in
        index == 0
          ? .fail(.connectionLost, reachedServer: false)
            .after(isFirstEarlier ? .milliseconds(15) : .seconds(1))
          : .response(status: 503).after(.milliseconds(100))
      }
      try await warmUp(stage)
      let error = await stage.clock.run {
        await #expect(throws: RequestError.self) { try await stage.client.send(get().attempts(1)) }
      }
      #expect(error?.code == .connectionLost && error?.attempt == 1)
      // The second one has reached the server.
      #expect(error?.reachedServer == true)
      await stage.expectNothingLeft()
    }
  }

  @Test func `if both attempts fail, a retry waits as long as either response asks`() async throws {
    for (first, second) in [(nil, 7), (7, nil), (3, 7), (7, 3)] as [(Int?, Int?)] {
      let stage = stage { index, _ in
        guard index < 2 else { return .response(body: "third") }
        let wait = index == 0 ? first : second
        return .response(status: 503, fields: wait.map { ["Retry-After": "\($0)"] } ?? [:])
          .after(.milliseconds(index == 0 ? 100 : 50))
      }
      try await warmUp(stage)
      let start = stage.clock.now.offset
      let response = try await send(get().attempts(2), stage)
      #expect(response.text == "third")
      #expect(stage.clock.now.offset - start >= .seconds(7))
      await stage.expectNothingLeft()
    }
  }

  @Test func `a retry may have a second attempt, which is not itself retried`() async throws {
    let stage = stage { index, _ in
      switch index {
      case 0: .response(status: 503)
      case 1: .response(body: "late").after(.seconds(1))
      case 2: .response(status: 503).after(.milliseconds(5))
      default: .response(body: "wrong")
      }
    }
    try await warmUp(stage)
    let response = try await send(get().attemptsAtOnce(2), stage)
    #expect(response.text == "late" && response.timing.attempts == 3)
    #expect(sent(stage).count == 3)
  }

  @Test func `a second attempt takes from the retry budget, and is not made without it`() async throws {
    let stage = configured { $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0) }.responding {
      _, _ in
      .response().after(.seconds(1))
    }
    try await warmUp(stage)
    try await send(get(), stage)
    #expect(sent(stage).count == 1)
    await stage.expectNothingLeft()
  }

  // MARK: Limits

  @Test func `a second attempt does not wait for a slot`() async throws {
    let stage = configured { $0.limits.perOrigin = 1 }.responding { _, _ in .response().after(.seconds(1)) }
    try await warmUp(stage)
    try await send(get(), stage)
    #expect(sent(stage).count == 1)
    await stage.expectNothingLeft()
  }

  @Test func `a second attempt takes a pass of the rate limits, and does not wait for one`() async throws {
    let stage = configured {
      $0.rateLimits.perOrigin = RateLimit(requests: 1, per: .milliseconds(1), burst: 100)
    }.responding { _, _ in .response().after(.seconds(1)) }
    try await warmUp(stage)
    let request = get().rateLimited(by: "a", RateLimit(requests: 1, per: .seconds(100), burst: 1))
    try await send(request, stage)
    #expect(sent(stage).count == 1)
    #expect(stage.client.pipeline.rateLimiter.inFlight == 0)
    let other = get().rateLimited(by: "b", RateLimit(requests: 1, per: .seconds(100), burst: 2))
    try await send(other, stage)
    #expect(sent(stage).count == 3)
    // Both passes are taken, so the next one waits.
    let third = stage.client.start(other)
    while stage.client.pipeline.rateLimiter.waiting != 1 { await Task.yield() }
    third.cancel()
    _ = await third.result
    await stage.expectNothingLeft()
  }

  @Test func `a second attempt without a slot gives its pass back`() async throws {
    let stage = configured {
      $0.limits.perOrigin = 1
      $0.rateLimits.perOrigin = RateLimit(requests: 1, per: .milliseconds(1), burst: 100)
    }.responding { _, _ in .response() }
    let slots = stage.client.pipeline.slots
    let limiter = stage.client.pipeline.rateLimiter
    let subject = RateSubject(
      origin: "http://a.test", originLimit: RateLimit(requests: 1, per: .seconds(9), burst: 1))
    let priority = EffectivePriority(.default, canChange: false, mayWait: false)
    let pass = try await limiter.acquire(
      subject, effectivePriority: priority, cancellation: CancellationToken())
    await #expect(throws: RequestError.self) {
      _ = try await limiter.acquire(subject, effectivePriority: priority, cancellation: CancellationToken())
    }
    limiter.putBack(pass)
    limiter.finish(
      try await limiter.acquire(subject, effectivePriority: priority, cancellation: CancellationToken()))
    let slot = try await slots.acquire(
      origin: "http://a.test", effectivePriority: priority, cancellation: CancellationToken())
    #expect(!slots.hasFree(priority, origin: "http://a.test"))
    #expect(slots.hasFree(priority, origin: "http://b.test"))
    await #expect(throws: RequestError.self) {
      _ = try await slots.acquire(
        origin: "http://a.test", effectivePriority: priority, cancellation: CancellationToken())
    }
    slots.release(slot)
    await stage.expectNothingLeft()
  }

  @Test func `an origin that asked to wait has no second attempt`() async throws {
    let stage = stage { index, _ in
      index == 0
        ? .response(status: 503, fields: ["Retry-After": "10"]) : .response().after(.seconds(1))
    }
    try await warmUp(stage, 60)
    _ = try? await send(get().attempts(1), stage)
    try await send(get(), stage)
    #expect(sent(stage).count == 2)
    await stage.clock.advance(by: .seconds(10))
    try await send(get(), stage)
    #expect(sent(stage).count == 4)
  }

  // MARK: Measuring

  @Test func `quick refusals do not shorten the delay`() async throws {
    let stage = stage { _, request in
      request.path == "/busy"
        ? .response(status: 503).after(.milliseconds(1)) : .response().after(.milliseconds(500))
    }
    try await warmUp(stage, 20)
    await stage.clock.run {
      for _ in 0..<500 { _ = try? await stage.client.send(get("busy").attempts(1)) }
    }
    let began = stage.clock.now.offset
    _ = stage.client.start(get())
    await stage.clock.advance(by: .milliseconds(9))
    #expect(sent(stage).count == 501)
    await stage.clock.advance(by: .milliseconds(1))
    #expect(sent(stage).count == 502)
    await stage.clock.advance(by: .seconds(1))
    #expect(stage.clock.now.offset - began > .seconds(1))
    await stage.expectNothingLeft()
  }

  @Test func `first attempts that lose count with the time that they ran`() async throws {
    // The origin becomes slow for first attempts only, so all of them lose.
    let isFirst = Atomic(true)
    let stage = stage { _, _ in
      let first = isFirst.exchange(false, ordering: .relaxed)
      if !first { isFirst.store(true, ordering: .relaxed) }
      return .response(body: first ? "first" : "second").after(first ? .seconds(9) : .milliseconds(1))
    }
    try await warmUp(stage, 500)
    let response = try await stage.clock.run { () async throws -> [Response] in
      var responses: [Response] = []
      for _ in 0..<14 { responses.append(try await stage.client.send(get())) }
      return responses
    }
    #expect(response.allSatisfy { $0.text == "second" })
    // 14 of 514 times are 11 ms, so that the 98th percentile is one of them.
    let delay = HedgeDelay.percentile(0.98)
    let began = stage.clock.now.offset
    let call = stage.client.start(get(after: delay))
    await stage.clock.advance(by: .milliseconds(11))
    #expect(sent(stage).count == 30)
    await stage.clock.advance(by: .milliseconds(1))
    _ = try await call.value
    #expect(stage.clock.now.offset - began == .milliseconds(12))
  }

  // MARK: Ends

  @Test func `a call that is cancelled ends both attempts, whatever the reason`() async throws {
    for reason in 0..<4 {
      let stage = stage { _, _ in .stall }
      try await warmUp(stage)
      let scope = RequestScope("page")
      let call = stage.client.start(get().deadline(.seconds(2)), in: scope)
      await stage.clock.advance(by: .milliseconds(20))
      #expect(sent(stage).count == 2)
      switch reason {
      case 0: call.cancel()
      case 1: scope.end()
      case 2: await stage.clock.advance(by: .seconds(2))
      default: await stage.client.shutdown(within: .zero)
      }
      let error = await #expect(throws: RequestError.self) { try await call.value }
      #expect(error?.code == (reason == 2 ? .deadlineExceeded : .cancelled))
      #expect(error?.cancellation != .overtaken)
      #expect(error?.reachedServer == true)
      await stage.expectNothingLeft()
      #expect(stage.stub.cancelled == 2, "reason \(reason), \(stage.paths)")
    }
  }

  @Test func `a call that is cancelled between two attempts says that the first one reached the server`()
    async throws
  {
    let stage = stage { _, _ in .response(status: 503, fields: ["Retry-After": "5"]) }
    let call = stage.client.start(get())
    await stage.reachSleep(of: .seconds(5))
    call.cancel()
    let error = await #expect(throws: RequestError.self) { try await call.value }
    #expect(error?.code == .cancelled && error?.reachedServer == true)
    await stage.expectNothingLeft()
  }

  @Test func `repeats of a call that was cancelled after its first attempt was sent are ignored`()
    async throws
  {
    struct Passing: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        try await next(request)
      }
    }
    let stage = configured { $0.interceptors = [Passing()] }.responding { _, _ in
      .response().after(.seconds(9))
    }
    // The call and its first attempt end at once, on two threads.
    for number in 1...300 {
      let request = get("\(number)", after: .after(.seconds(5))).ignoringRepeats(within: .seconds(100))
      let call = stage.client.start(request)
      try await stage.stub.waitForRequests(number)
      call.cancel()
      await #expect(throws: RequestError.self) { try await call.value }
      let error = await #expect(throws: RequestError.self) { try await stage.client.send(request) }
      #expect(error?.code == .ignoredRepeat)
    }
    await stage.settle()
  }

  @Test(arguments: 0..<20)
  func `a call has one outcome when everything happens at once`(seed: UInt64) async throws {
    let random = Locked(SeededRandom(seed: seed))
    func chance(_ range: ClosedRange<Int>) -> Int { random.withLock { Int.random(in: range, using: &$0) } }
    let recorder = EventRecorder()
    let stage = configured { $0.listeners = [recorder] }.responding { _, _ in
      let step: StubStep =
        switch random.withLock({ Int.random(in: 0...4, using: &$0) }) {
        case 0: .response(status: 503)
        case 1: .fail(.connectionLost)
        default: .response(body: "ok")
        }
      return step.after(.milliseconds(random.withLock { Int.random(in: 8...14, using: &$0) }))
    }
    try await warmUp(stage, 200)
    var calls: [Call] = []
    for number in 0..<20 {
      let scope = RequestScope("\(number)")
      let request = get().attemptsAtOnce(2).deadline(.milliseconds(chance(10...40)))
      let call = stage.client.start(chance(0...1) == 0 ? request : request.shared(), in: scope)
      calls.append(call)
      let wait = Duration.milliseconds(chance(9...25))
      if chance(0...2) == 0 {
        Task(executorPreference: stage.clock) {
          try await stage.clock.sleep(until: stage.clock.now.advanced(by: wait), tolerance: nil)
          number % 2 == 0 ? call.cancel() : scope.end()
        }
      }
      await stage.clock.advance(by: .milliseconds(chance(0...6)))
    }
    await stage.clock.advance(by: .seconds(1))
    for call in calls {
      switch await call.result {
      case .success(let response): #expect(response.text == "ok")
      case .failure(let error):
        let error = error as? RequestError
        #expect(error != nil && error?.cancellation != .overtaken)
        #expect(error?.attempt ?? 9 <= 2)
      }
    }
    await stage.expectNothingLeft()
    #expect(recorder.problems.isEmpty)
    // Every call that began has ended, with one last event.
    for call in recorder.calls {
      #expect(recorder.records.count { $0.call == call && $0.event.isEnd } == 1)
    }
  }

  @Test func `a shutdown waits for both attempts`() async throws {
    let stage = stage { index, _ in .response(body: "\(index)").after(.milliseconds(index == 0 ? 500 : 900)) }
    try await warmUp(stage)
    let call = stage.client.start(get())
    await stage.clock.advance(by: .milliseconds(20))
    await stage.clock.run { await stage.client.shutdown(within: .seconds(5)) }
    #expect(try await call.value.text == "0")
    await stage.expectNothingLeft()
  }

  @Test func `an attempt interceptor that holds the loser does not hold the call`() async throws {
    let gate = StubGate()
    struct Holding: Interceptor {
      let gate: StubGate
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        do { return try await next(request) } catch {
          // It does not react to its cancellation.
          if request.path == "/x" { await Task { try? await gate.pass() }.value }
          throw error
        }
      }
    }
    let stage = configured { $0.attemptInterceptors = [Holding(gate: gate)] }.responding { index, _ in
      .response(body: "\(index)").after(index == 0 ? .seconds(5) : Self.usual)
    }
    try await warmUp(stage)
    let response = try await send(get(), stage)
    #expect(response.text == "1")
    gate.open()
    await stage.expectNothingLeft()
  }

  // MARK: Other stages

  @Test func `a shared request has one second attempt, and each caller its response`() async throws {
    let stage = stage { index, _ in .response(body: "\(index)").after(index == 0 ? .seconds(5) : Self.usual) }
    try await warmUp(stage)
    let calls = (0..<5).map { _ in stage.client.start(get().shared()) }
    try await stage.reachSharing(5, get().shared())
    await stage.clock.advance(by: .milliseconds(20))
    for call in calls { #expect(try await call.value.text == "1") }
    #expect(sent(stage).count == 2)
    await stage.expectNothingLeft()
  }

  @Test func `each attempt is signed`() async throws {
    let signer = NumberingSigner()
    let stage = stage { index, _ in .response(body: "\(index)").after(index == 0 ? .seconds(5) : Self.usual) }
    try await warmUp(stage)
    try await send(get().signed(by: signer), stage)
    #expect(signer.seen.count == 2)
    #expect(sent(stage).map { $0.fields["X-Signature"] } == ["1 /x", "2 /x"])
  }

  @Test func `a credential that both attempts find stale is refreshed once`() async throws {
    struct Numbers: Authenticator {
      func authenticate(_ request: Request, with token: Int) -> Request {
        request.field("X-Token", "\(token)")
      }
      func refresh(_ token: Int?, _ refresh: CredentialRefresh) async throws -> Int {
        _ = try await refresh.send(.post("http://a.test/token"))
        return 1
      }
    }
    let stage = configured {
      $0.authentication = Authentication(
        CredentialSession(Numbers(), credential: 0), at: ["http://a.test"].compactMap(URL.init))
    }.responding { index, request in
      if request.path == "/token" { return .response().after(.milliseconds(50)) }
      if request.fields["X-Token"] == "1" { return .response(body: "ok").after(.milliseconds(5)) }
      return .response(status: 401).after(.milliseconds(15))
    }
    try await warmUp(stage)
    let response = try await send(get(), stage)
    #expect(response.text == "ok")
    #expect(sent(stage).count { $0.path == "/token" } == 1)
    #expect(sent(stage).count { $0.fields["X-Token"] == "0" } == 2)
    await stage.expectNothingLeft()
  }

  @Test func `the response of a second attempt is cached by HTTP's rules, with its own redirects`()
    async throws
  {
    let stage = configured { $0.cache = .http() }.responding { index, request in
      switch (index, request.path) {
      case (0, _): .response(body: "never").after(.seconds(5))
      case (_, "/x"):
        .response(status: 301, fields: ["Location": "/there", "Cache-Control": "max-age=60"])
      default: .response(fields: ["Cache-Control": "max-age=60"], body: "there").after(Self.usual)
      }
    }
    try await warmUp(stage)
    for _ in 0..<2 {
      let response = try await send(get(), stage)
      #expect(response.text == "there" && response.url.path == "/there")
    }
    #expect(sent(stage).map(\.path) == ["/x", "/x", "/there"])
  }

  @Test func `the body of a stream is that of the winner, and is cancelled with its call`() async throws {
    for isIntercepted in [false, true] {
      let stage = configured {
        if isIntercepted { $0.attemptInterceptors = [PassingInterceptor()] }
      }.responding { index, _ in
        .response(chunks: (0..<3).map { _ in ByteStream.largeChunk + Data("\(index)".utf8) })
          .after(index == 0 ? .seconds(5) : Self.usual)
      }
      try await warmUp(stage)
      let scope = RequestScope("page")
      let response = try await stage.clock.run { try await stage.client.stream(get(), in: scope) }
      // Longer than interceptors may hold a stream.
      await stage.clock.advance(by: .seconds(1))
      #expect(stage.load.running == 1)
      var chunks = response.chunks.makeAsyncIterator()
      #expect(try await chunks.next()?.last == UInt8(ascii: "1"))
      scope.end()
      await #expect(throws: RequestError.self) { while try await chunks.next() != nil {} }
      await stage.expectNothingLeft()
    }
  }

  private struct PassingInterceptor: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      try await next(request)
    }
  }

  @Test func `progress is that of the attempt that wins`() async throws {
    let reports = Locked<[TransferProgress]>([])
    let stage = stage { index, _ in
      .response(body: String(repeating: "x", count: 100 + index))
        .after(index == 0 ? .seconds(5) : Self.usual)
    }
    try await warmUp(stage)
    let put = Request.put("http://a.test/x", .text("12345")).hedged(after: .p95)
    _ = try await stage.clock.run {
      try await stage.client.send(put) { report in reports.withLock { $0.append(report) } }
    }
    let last = try #require(reports.withLock { $0.last })
    #expect(last.sent == 5 && last.received == 101 && last.receivedTotal == 101)
    #expect(reports.withLock { $0.allSatisfy { $0.attempt == 1 } })
  }

  // MARK: Events

  @Test func `events tell which attempt was the second, and which won`() async throws {
    for winner in 0...1 {
      let recorder = EventRecorder()
      let stage = configured {
        $0.listeners = [recorder]
        $0.collectsMetrics = true
      }.responding { index, _ in
        .response(body: "\(index)").after(
          index == 0 ? (winner == 0 ? .milliseconds(15) : .seconds(5)) : Self.usual)
      }
      try await warmUp(stage)
      let before = recorder.calls.count
      try await send(get(), stage)
      await stage.expectNothingLeft()
      #expect(recorder.problems.isEmpty)
      let calls = Array(recorder.calls.dropFirst(before))
      #expect(calls.count == 2)
      let second = try #require(calls.last)
      let hedge = recorder.records.filter { $0.call == second }
      #expect(hedge.allSatisfy { $0.event.purpose == .hedge })
      let own = recorder.steps(of: calls.first)
      #expect(own.contains("makes a second attempt, #\(second), after 10.0 ms"))
      if winner == 1 {
        #expect(
          own.suffix(2) == ["the second attempt, #\(second), got a response first", "ended: 200 OK, 1 bytes"])
        #expect(hedge.last?.text == "ended: 200 OK, 1 bytes")
      } else {
        #expect(!own.contains { $0.hasPrefix("the second attempt") })
        #expect(hedge.last?.text == "cancelled: another attempt got a response first")
      }
      #expect(!own.contains { $0.hasPrefix("attempt failed") })
      let metrics = try #require(stage.client.metrics)
      #expect(metrics.hedges == 1 && metrics.outcomes == [.finished: Self.warmUps + 1])
      #expect(metrics.attempts == Self.warmUps + 2 && metrics.inFlight == 0)
    }
  }
}
