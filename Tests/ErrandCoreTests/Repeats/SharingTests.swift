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
  private let repeats: Repeats<Int>
  private let flights = Tally()
  private let gate = StubGate()

  init() { repeats = Repeats(Timeline(clock)) }

  /// Joins a flight that lasts until the gate is open and answers with its number.
  private func share(
    _ policy: SharingPolicy = SharingPolicy(), priority: Priority = .default,
    _ signal: StopSignal = StopSignal()
  ) async throws -> Int {
    try await repeats.share("key", policy, urgency: Urgency(priority), of: signal) { [flights, gate] flight in
      flights.add()
      let number = flights.count
      try await flight.signal.interrupting { try await gate.pass() }
      return number
    }
  }

  private func reachCallers(_ count: Int) async {
    while repeats.states.sharing.withLock({ $0.callers(of: "key") }) != count { await Task.yield() }
  }

  @Test func `all who come while it is under way get the one answer`() async throws {
    let calls = (0..<100).map { _ in Task { try await share() } }
    await reachCallers(100)
    gate.open()
    for call in calls { #expect(try await call.value == 1) }
    #expect(flights.count == 1)
    #expect(repeats.states.isEmpty)
    #expect(try await share() == 2)
  }

  @Test func `within the window the answer is there at once, and after it a new request goes out`()
    async throws
  {
    gate.open()
    let policy = SharingPolicy(window: .seconds(3))
    #expect(try await share(policy) == 1)
    clock.advance(by: .milliseconds(2999))
    #expect(try await share(policy) == 1)
    clock.advance(by: .milliseconds(1))
    #expect(try await share(policy) == 2)
  }

  @Test func `an answer is forgotten when its window is over`() async throws {
    gate.open()
    _ = try await share(SharingPolicy(window: .seconds(3)))
    try await clock.waitForSleepers()
    #expect(!repeats.states.isEmpty)
    clock.advance(by: .milliseconds(3100))
    while !repeats.states.isEmpty { await Task.yield() }
    #expect(clock.sleepers == 0)
  }

  @Test func `one who gives up leaves alone and at once, with its own reason`() async throws {
    let (leader, other) = (StopSignal(), StopSignal())
    let first = Task { try await share(SharingPolicy(), leader) }
    await reachCallers(1)
    let second = Task { try await share(SharingPolicy(), other) }
    let third = Task { try await share() }
    await reachCallers(3)
    leader.stop(.cancelled(.scopeEnded("page")))
    let firstError = await #expect(throws: RequestError.self) { try await first.value }
    #expect(firstError?.cancellation == .scopeEnded("page"))
    other.stop(.deadlineExceeded(.seconds(2)))
    let secondError = await #expect(throws: RequestError.self) { try await second.value }
    #expect(secondError?.code == .deadlineExceeded)
    gate.open()
    #expect(try await third.value == 1)
    #expect(flights.count == 1)
  }

  @Test func `when the last one leaves, the request is called off, and the next begins anew`() async throws {
    let (one, other) = (StopSignal(), StopSignal())
    let ended = Tally()
    let calls = [one, other].map { signal in
      Task {
        try await repeats.share(
          "key", SharingPolicy(window: .seconds(3)), urgency: Urgency(.default), of: signal
        ) {
          [gate] flight in
          defer { ended.add() }
          _ = flight.signal.onStop { ended.add() }
          try await flight.signal.interrupting { try await gate.pass() }
          return 0
        }
      }
    }
    await reachCallers(2)
    one.stop(.cancelled(.taskCancelled))
    await reachCallers(1)
    #expect(ended.count == 0)
    other.stop(.cancelled(.taskCancelled))
    await ended.reach(2)
    for call in calls { await #expect(throws: RequestError.self) { try await call.value } }
    #expect(repeats.states.isEmpty)
    gate.open()
    #expect(try await share() == 1)
  }

  @Test func `a request that everyone left may go on, and its answer is there for the next`() async throws {
    let policy = SharingPolicy(window: .seconds(3), whenAbandoned: .finishes)
    let signal = StopSignal()
    let call = Task { try await share(policy, signal) }
    await reachCallers(1)
    signal.stop(.cancelled(.taskCancelled))
    await #expect(throws: RequestError.self) { try await call.value }
    let next = Task { try await share(policy) }
    await reachCallers(1)
    gate.open()
    #expect(try await next.value == 1)
    #expect(try await share(policy) == 1)
  }

  @Test func `one who was called off before does not join, and starts nothing`() async {
    let signal = StopSignal()
    signal.stop(.cancelled(.callCancelled))
    let error = await #expect(throws: RequestError.self) { try await share(SharingPolicy(), signal) }
    #expect(error?.cancellation == .callCancelled)
    #expect(flights.count == 0)
    #expect(repeats.states.isEmpty)
  }

  @Test func `a failure is told to all who wait, and to those who come later or not, as they want`()
    async throws
  {
    let count = Tally()
    func call(_ failures: SharingPolicy.Failures) async throws -> Int {
      try await repeats.share(
        "key", SharingPolicy(window: .seconds(3), failures: failures), urgency: Urgency(.default),
        of: StopSignal()
      ) { [gate] _ in
        try await gate.pass()
        count.add()
        throw RequestError(.timedOut, message: "\(count.count)", reachedServer: true)
      }
    }
    let calls = [Task { try await call(.replayed) }, Task { try await call(.triedAgain) }]
    await reachCallers(2)
    gate.open()
    for waiting in calls {
      let error = await #expect(throws: RequestError.self) { try await waiting.value }
      #expect(error?.message == "1")
    }
    let replayed = await #expect(throws: RequestError.self) { try await call(.replayed) }
    #expect(replayed?.message == "1")
    let again = await #expect(throws: RequestError.self) { try await call(.triedAgain) }
    #expect(again?.message == "2")
  }

  @Test func `the flight has the highest of its callers' priorities`() async throws {
    let (told, tell) = AsyncStream.makeStream(of: Priority.self)
    func call(_ priority: Priority) -> Task<Int, any Error> {
      Task {
        try await repeats.share("key", SharingPolicy(), urgency: Urgency(priority), of: StopSignal()) {
          [gate] flight in
          tell.yield(flight.urgency.current)
          _ = flight.urgency.onRaise { tell.yield($0) }
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

  @Test func `a caller that becomes urgent while it waits takes the flight along, until it has left`()
    async throws
  {
    let (urgency, signal) = (Urgency(.utility), StopSignal())
    let (leading, lead) = AsyncStream.makeStream(of: Flight.self)
    let call = Task {
      try await repeats.share("key", SharingPolicy(), urgency: urgency, of: signal) { [gate] flight in
        lead.yield(flight)
        try await gate.pass()
        return 1
      }
    }
    var flights = leading.makeAsyncIterator()
    let flight = try #require(await flights.next())
    let other = Task { try await share(SharingPolicy(), priority: .background) }
    await reachCallers(2)
    #expect(flight.urgency.current >= .utility)
    urgency.raise(to: .default)
    #expect(flight.urgency.current == .default)
    signal.stop(.cancelled(.taskCancelled))
    await #expect(throws: RequestError.self) { try await call.value }
    urgency.raise(to: .userInitiated)
    #expect(flight.urgency.current == .default)
    gate.open()
    _ = try await other.value
  }

  @Test func `all who listen are told of progress, and nobody after leaving`() async throws {
    let (one, other, leaver) = (ProgressTold(), ProgressTold(), StopSignal())
    let reported = StubGate()
    func call(_ told: ProgressTold, _ signal: StopSignal) -> Task<Int, any Error> {
      Task {
        try await repeats.share(
          "key", SharingPolicy(), urgency: Urgency(.default), of: signal, progress: told.hub
        ) { [gate] flight in
          try await gate.pass()
          flight.progress.begin(attempt: 1, sentTotal: 0)
          flight.progress.received(1)
          try await reported.pass()
          flight.progress.received(1)
          return 1
        }
      }
    }
    let stays = call(one, StopSignal())
    await reachCallers(1)
    let leaves = call(other, leaver)
    await reachCallers(2)
    gate.open()
    while other.received != [0, 1] { await Task.yield() }
    leaver.stop(.cancelled(.taskCancelled))
    await #expect(throws: RequestError.self) { try await leaves.value }
    reported.open()
    _ = try await stays.value
    #expect(one.received == [0, 1, 2])
    #expect(other.received == [0, 1])
  }

  @Test func `a flight that answers without waiting answers its caller`() async throws {
    for _ in 0..<100 {
      #expect(
        try await repeats.share("key", SharingPolicy(), urgency: Urgency(.default), of: StopSignal()) { _ in 7
        } == 7)
    }
    #expect(repeats.states.isEmpty)
  }
}
