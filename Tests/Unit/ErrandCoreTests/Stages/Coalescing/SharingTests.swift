import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct SharingTests {
  private final class ProgressTold: Sendable {
    private let state = Locked<[Int64]>([])
    let hub = ProgressHub()
    init() {
      hub.listen { [weak self] progress in self?.state.withLock { $0.append(progress.received) } }
    }
    var received: [Int64] { state.withLock { $0 } }
  }

  private let clock = VirtualClock()
  private let repeats: Coalescer<Int>
  private let inFlightRequests = Tally()
  private let gate = StubGate()

  init() { repeats = Coalescer(Timeline(clock)) }

  /// Joins an in-flight request that lasts until the gate is open and returns its number.
  private func share(
    _ policy: SharingPolicy = SharingPolicy(), priority: Priority = .default,
    _ cancellation: CancellationToken = CancellationToken()
  ) async throws -> Int {
    try await repeats.share("key", policy, effectivePriority: EffectivePriority(priority), of: cancellation) {
      [inFlightRequests, gate] inFlightRequest in
      inFlightRequests.add()
      let number = inFlightRequests.count
      try await inFlightRequest.cancellation.interrupting { try await gate.pass() }
      return number
    }
  }

  private func reachCallers(_ count: Int) async {
    while repeats.states.sharing.withLock({ $0.callers(of: "key") }) != count { await Task.yield() }
  }

  @Test func `all callers that join while a request is in flight get its response`() async throws {
    let calls = (0..<100).map { _ in Task { try await share() } }
    await reachCallers(100)
    gate.open()
    for call in calls { #expect(try await call.value == 1) }
    #expect(inFlightRequests.count == 1)
    #expect(repeats.states.isEmpty)
    #expect(try await share() == 2)
  }

  @Test func `a response is replayed within its window, and a new request is sent afterwards`()
    async throws
  {
    gate.open()
    let policy = SharingPolicy(window: .seconds(3))
    #expect(try await share(policy) == 1)
    await clock.advance(by: .milliseconds(2999))
    #expect(try await share(policy) == 1)
    await clock.advance(by: .milliseconds(1))
    #expect(try await share(policy) == 2)
  }

  @Test func `a response is forgotten when its window ends`() async throws {
    gate.open()
    _ = try await share(SharingPolicy(window: .seconds(3)))
    try await clock.waitForSleepers()
    #expect(!repeats.states.isEmpty)
    await clock.advance(by: .milliseconds(3100))
    while !repeats.states.isEmpty { await Task.yield() }
    #expect(clock.sleepers == 0)
  }

  @Test func `a caller that gives up leaves at once, with its own reason, and no other caller leaves`()
    async throws
  {
    let (leader, other) = (CancellationToken(), CancellationToken())
    let first = Task { try await share(SharingPolicy(), leader) }
    await reachCallers(1)
    let second = Task { try await share(SharingPolicy(), other) }
    let third = Task { try await share() }
    await reachCallers(3)
    leader.cancel(.cancelled(.scopeEnded("page")))
    let firstError = await #expect(throws: RequestError.self) { try await first.value }
    #expect(firstError?.cancellation == .scopeEnded("page"))
    other.cancel(.deadlineExceeded(.seconds(2)))
    let secondError = await #expect(throws: RequestError.self) { try await second.value }
    #expect(secondError?.code == .deadlineExceeded)
    gate.open()
    #expect(try await third.value == 1)
    #expect(inFlightRequests.count == 1)
  }

  @Test func `a request is cancelled when its last caller leaves, and the next caller starts a new one`()
    async throws
  {
    let (one, other) = (CancellationToken(), CancellationToken())
    let ended = Tally()
    let calls = [one, other].map { cancellation in
      Task {
        try await repeats.share(
          "key", SharingPolicy(window: .seconds(3)), effectivePriority: EffectivePriority(.default),
          of: cancellation
        ) {
          [gate] inFlightRequest in
          defer { ended.add() }
          _ = inFlightRequest.cancellation.onCancel { ended.add() }
          try await inFlightRequest.cancellation.interrupting { try await gate.pass() }
          return 0
        }
      }
    }
    await reachCallers(2)
    one.cancel(.cancelled(.taskCancelled))
    await reachCallers(1)
    #expect(ended.count == 0)
    other.cancel(.cancelled(.taskCancelled))
    await ended.reach(2)
    for call in calls { await #expect(throws: RequestError.self) { try await call.value } }
    #expect(repeats.states.isEmpty)
    gate.open()
    #expect(try await share() == 1)
  }

  @Test func `a request without callers may finish, and serves the next caller`() async throws {
    let policy = SharingPolicy(window: .seconds(3), whenAbandoned: .finishes)
    let cancellation = CancellationToken()
    let call = Task { try await share(policy, cancellation) }
    await reachCallers(1)
    cancellation.cancel(.cancelled(.taskCancelled))
    await #expect(throws: RequestError.self) { try await call.value }
    let next = Task { try await share(policy) }
    await reachCallers(1)
    gate.open()
    #expect(try await next.value == 1)
    #expect(try await share(policy) == 1)
  }

  @Test func `a caller that was already cancelled does not join, and starts nothing`() async {
    let cancellation = CancellationToken()
    cancellation.cancel(.cancelled(.callCancelled))
    let error = await #expect(throws: RequestError.self) { try await share(SharingPolicy(), cancellation) }
    #expect(error?.cancellation == .callCancelled)
    #expect(inFlightRequests.count == 0)
    #expect(repeats.states.isEmpty)
  }

  @Test func `all waiting callers get a failure, and later callers get it or retry, by their policy`()
    async throws
  {
    let count = Tally()
    func call(_ failures: SharingPolicy.Failures) async throws -> Int {
      try await repeats.share(
        "key", SharingPolicy(window: .seconds(3), failures: failures),
        effectivePriority: EffectivePriority(.default),
        of: CancellationToken()
      ) { [gate] _ in
        try await gate.pass()
        count.add()
        throw RequestError(.timedOut, message: "\(count.count)", reachedServer: true)
      }
    }
    let calls = [Task { try await call(.replayed) }, Task { try await call(.retried) }]
    await reachCallers(2)
    gate.open()
    for waiting in calls {
      let error = await #expect(throws: RequestError.self) { try await waiting.value }
      #expect(error?.message == "1")
    }
    let replayed = await #expect(throws: RequestError.self) { try await call(.replayed) }
    #expect(replayed?.message == "1")
    let again = await #expect(throws: RequestError.self) { try await call(.retried) }
    #expect(again?.message == "2")
  }

  @Test func `an in-flight request has the highest of its callers' priorities`() async throws {
    let (told, tell) = AsyncStream.makeStream(of: Priority.self)
    func call(_ priority: Priority) -> Task<Int, any Error> {
      Task {
        try await repeats.share(
          "key", SharingPolicy(), effectivePriority: EffectivePriority(priority), of: CancellationToken()
        ) {
          [gate] inFlightRequest in
          tell.yield(inFlightRequest.effectivePriority.current)
          _ = inFlightRequest.effectivePriority.onChange { tell.yield($0) }
          try await gate.pass()
          return 1
        }
      }
    }
    var heard = told.makeAsyncIterator()
    let first = call(.utility)
    #expect(await heard.next() == .utility)
    let second = call(.background)
    await reachCallers(2)
    let third = call(.userInitiated)
    #expect(await heard.next() == .userInitiated)
    gate.open()
    for call in [first, second, third] { _ = try await call.value }
  }

  @Test func `a waiting caller whose priority rises raises the request, until it has left`()
    async throws
  {
    let (effectivePriority, cancellation) = (EffectivePriority(.utility), CancellationToken())
    let (leading, lead) = AsyncStream.makeStream(of: InFlightRequest.self)
    let call = Task {
      try await repeats.share("key", SharingPolicy(), effectivePriority: effectivePriority, of: cancellation)
      { [gate] inFlightRequest in
        lead.yield(inFlightRequest)
        try await gate.pass()
        return 1
      }
    }
    var inFlightRequests = leading.makeAsyncIterator()
    let inFlightRequest = try #require(await inFlightRequests.next())
    let other = Task { try await share(SharingPolicy(), priority: .background) }
    await reachCallers(2)
    #expect(inFlightRequest.effectivePriority.current >= .utility)
    effectivePriority.raise(to: .default)
    #expect(inFlightRequest.effectivePriority.current == .default)
    cancellation.cancel(.cancelled(.taskCancelled))
    await #expect(throws: RequestError.self) { try await call.value }
    #expect(inFlightRequest.effectivePriority.current == .background)
    effectivePriority.raise(to: .userInitiated)
    #expect(inFlightRequest.effectivePriority.current == .background)
    gate.open()
    _ = try await other.value
  }

  @Test func `all callers receive progress, and none after leaving`() async throws {
    let (one, other, leaver) = (ProgressTold(), ProgressTold(), CancellationToken())
    let reported = StubGate()
    func call(_ told: ProgressTold, _ cancellation: CancellationToken) -> Task<Int, any Error> {
      Task {
        try await repeats.share(
          "key", SharingPolicy(), effectivePriority: EffectivePriority(.default), of: cancellation,
          progress: told.hub
        ) { [gate] inFlightRequest in
          try await gate.pass()
          inFlightRequest.progress.begin(attempt: 1, sentTotal: 0)
          inFlightRequest.progress.received(1)
          try await reported.pass()
          inFlightRequest.progress.received(1)
          return 1
        }
      }
    }
    let stays = call(one, CancellationToken())
    await reachCallers(1)
    let leaves = call(other, leaver)
    await reachCallers(2)
    gate.open()
    while other.received != [0, 1] { await Task.yield() }
    leaver.cancel(.cancelled(.taskCancelled))
    await #expect(throws: RequestError.self) { try await leaves.value }
    reported.open()
    _ = try await stays.value
    #expect(one.received == [0, 1, 2])
    #expect(other.received == [0, 1])
  }

  @Test func `an in-flight request that returns without suspending serves its caller`() async throws {
    for _ in 0..<100 {
      #expect(
        try await repeats.share(
          "key", SharingPolicy(), effectivePriority: EffectivePriority(.default), of: CancellationToken()
        ) { _ in 7
        } == 7)
    }
    #expect(repeats.states.isEmpty)
  }
}
