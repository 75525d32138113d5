import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// A machine that slept while requests were in flight: when it wakes, their leases have expired.
///
/// Each test has two origins that respond and one slot for both: while a request to the slow one is in
/// flight, the rows of the other wait. Only `sleep` moves the time, so that the slow one does not count as
/// hanging earlier.
@Suite(.timeLimit(.minutes(1))) final class LateDispatcherTests: Sendable {
  private let harness: OutboxHarness
  private let slow: MockServer
  // A gate that opened by itself would end a request that must be cancelled.
  private let gates = [ServerGate(limit: .seconds(300)), ServerGate(limit: .seconds(300))]
  private let slept = Locked(Duration.zero)
  /// The times until which timers sleep.
  private let timers = Locked<[Duration]>([])
  private let start = StoreTime.now()

  init() throws {
    harness = try OutboxHarness()
    slow = try MockServer()
  }

  private func outbox(concurrency: Int) async throws -> Outbox {
    try await harness.outbox { configuration in
      configuration.concurrency = concurrency
      configuration.clock = SleptClock { self.slept.withLock { $0 } }
      configuration.date = { Date(milliseconds: self.time().wall) }
    } time: {
      self.time()
    }
  }

  /// Makes a request that waits for longer than any test: a time-out would end its attempt, and while the
  /// time stands still it could not be attempted again.
  private func post(_ text: String, to server: MockServer) -> Request {
    .post(server.url("/"), .text(text)).timeout(.seconds(300))
  }

  /// Sends one request to each server, so that both are known to respond, and then one that the slow server
  /// holds, while `count` others wait.
  private func outboxOfWaitingRows(_ count: Int) async throws -> Outbox {
    slow.on("/") { [gates] request in
      if request.index > 0 { gates[0].pass() }
      return .response()
    }
    harness.server.on("/") { [gates] request in
      if request.index > 0 { gates[1].pass() }
      return .response()
    }
    let outbox = try await outbox(concurrency: 1)
    for server in [slow, harness.server] {
      _ = try await outbox.enqueue(post("first", to: server)).outcome()
    }
    _ = try await outbox.enqueue(post("held", to: slow))
    try await slow.waitForRequests(2)
    _ = try await outbox.enqueue((0..<count).map { post("\($0)", to: harness.server) })
    try await waitUntil { outbox.dispatcher.state.withLock { $0.inFlight.waiting } >= count }
    return outbox
  }

  /// Another process's store, whose clock is ahead.
  private func other(ahead: Duration) async throws -> SQLiteOutboxStore {
    var setup = StoreSetup()
    setup.time = { self.time(ahead: ahead) }
    return try await SQLiteOutboxStore(folder: harness.folder, setup: setup)
  }

  private func time(ahead: Duration = .zero) -> StoreTime {
    var now = start
    let passed = (slept.withLock { $0 } + ahead).storedMilliseconds
    now.ticks += passed
    now.wall += passed
    return now
  }

  /// Puts the machine to sleep while no claim is in progress: a claim that ran after the sleep would recover
  /// rows in flight whose leases have expired and are not renewed yet.
  private func sleep(_ outbox: Outbox, _ duration: Duration = .seconds(3600)) async throws {
    try await waitUntil { outbox.dispatcher.state.withLock { !$0.demand.isClaiming } }
    slept.withLock { $0 = duration }
  }

  @Test func `a claimed row that waits is not sent if another store has claimed it`() async throws {
    let outbox = try await outboxOfWaitingRows(4)
    let other = try await other(ahead: .seconds(3600))
    let claim = try await other.claim(10, for: .seconds(60))
    #expect(claim.rows.count == 5)

    try await sleep(outbox)
    // The request in flight is delivered or cancelled, whichever the outbox learns first.
    for gate in gates { gate.open() }
    try await waitUntil {
      outbox.dispatcher.state.withLock { $0.inFlight.waiting + $0.inFlight.sending } == 0
    }
    #expect(harness.keys().count == 1)

    await other.close()
    try await outbox.waitUntilEmpty()
    #expect(harness.keys().count == 5 && Set(harness.keys()).count == 5)
    await outbox.close()
  }

  @Test func `a request in flight is cancelled when another store has claimed it`() async throws {
    let outbox = try await outboxOfWaitingRows(1)
    let other = try await other(ahead: .seconds(3600))
    #expect(try await other.claim(10, for: .seconds(60)).rows.count == 2)

    try await sleep(outbox)
    // This makes the outbox look at its leases; the slow server still holds the request. The other server
    // does not hold the request that is sent in its place.
    gates[1].open()
    _ = try await outbox.enqueue(post("later", to: harness.server))
    try await waitUntil { outbox.dispatcher.state.withLock { $0.inFlight.sending } == 0 }
    gates[0].open()
    await other.close()
    await outbox.close()
  }

  /// Another store has the row before this machine's clock ends the lease: the process was stopped, and the
  /// store frees the rows of a silent owner before their leases expire.
  @Test func `a row that another store has claimed is not sent when the store says so`() async throws {
    try await deliverLate(whileStoring: OddStore.Fault.isLateToBegin) {}
  }

  @Test func `a row that another store has claimed is not sent after a late reply`() async throws {
    try await deliverLate(whileStoring: OddStore.Fault.isLateAfterBegin) {
      self.slept.withLock { $0 = .seconds(3600) }
    }
  }

  /// Lets another store claim and deliver the row that an outbox begins to send.
  private func deliverLate(
    whileStoring fault: (@escaping @Sendable () async throws -> Void) -> OddStore.Fault,
    _ sleep: @escaping @Sendable () -> Void
  ) async throws {
    harness.server.on("/") { _ in .response() }
    let outbox = try await outbox(
      fault {
        let other = try await self.other(ahead: .seconds(3600))
        let claim = try await other.claim(10, for: .seconds(60))
        let ends = claim.rows.map {
          FinishedAttempt(lease: $0.lease, outcome: .delivered(response: Data()))
        }
        _ = try await other.finish(ends)
        await other.close()
        sleep()
      })
    _ = try await outbox.enqueue(post("late", to: harness.server))
    try await outbox.waitUntilEmpty()
    #expect(harness.keys().isEmpty)
    await outbox.close()
  }

  private func outbox(_ fault: OddStore.Fault) async throws -> Outbox {
    var setup = StoreSetup()
    setup.time = { self.time() }
    let store = OddStore(try await SQLiteOutboxStore(folder: harness.folder, setup: setup), fault)
    var configuration = harness.configuration
    configuration.clock = SleptClock(
      { self.slept.withLock { $0 } }, onSleep: { time in self.timers.withLock { $0.append(time) } })
    return try await Outbox(
      store: store, folder: harness.folder, client: harness.client(), configuration: configuration)
  }

  /// A database that was away responds shortly before the lease ends.
  @Test func `a lease that is nearly over when its request may be sent is renewed before that`() async throws
  {
    let lease = OutboxConfiguration().lease
    harness.server.on("/") { [gates] _ in
      gates[0].pass()
      return .response()
    }
    // Opened first: the outbox looks at its leases when another store begins to use the folder.
    let other = try await other(ahead: lease / 2)
    let begun = Locked<Outbox?>(nil)
    let outbox = try await outbox(
      .isLateAfterBegin {
        // The timer that renews leases sleeps by now, and does not notice that the time moves. A claim would renew
        // them, too.
        try await waitUntil { self.timers.withLock { $0.contains(lease / 3) } }
        try await waitUntil {
          begun.withLock { $0 }?.dispatcher.state.withLock { !$0.demand.isClaiming && !$0.demand.isWanted }
            == true
        }
        self.slept.withLock { $0 = lease * 3 / 4 }
      })
    begun.withLock { $0 = outbox }
    _ = try await outbox.enqueue(post("late", to: harness.server))
    try await harness.server.waitForRequests(1)
    let early = try await other.claim(10, for: lease)
    #expect(early.rows.isEmpty && early.recovered.isEmpty)
    await other.close()
    gates[0].open()
    try await outbox.waitUntilEmpty()
    #expect(harness.server.requests.count == 1)
    await outbox.close()
  }

  /// A lease with a quarter left would end during the next attempt.
  @Test func `a lease is renewed when a third of it is left at the latest, for its whole length`()
    async throws
  {
    let outbox = try await outboxOfWaitingRows(1)
    let lease = OutboxConfiguration().lease
    try await sleep(outbox, lease * 3 / 4)
    gates[0].open()
    try await harness.server.waitForRequests(2)
    let other = try await other(ahead: lease * 3 / 4)
    let early = try await other.claim(10, for: lease)
    #expect(early.rows.isEmpty && early.recovered.isEmpty)
    gates[1].open()
    try await outbox.waitUntilEmpty()
    #expect(harness.keys().count == 2 && slow.requests.count == 2)
    await other.close()
    await outbox.close()
  }

  @Test func `a row in flight is not recovered as abandoned`() async throws {
    slow.on("/") { [gates] _ in
      gates[0].pass()
      return .response()
    }
    harness.server.on("/") { _ in .response() }
    let outbox = try await outbox(concurrency: 4)
    let first = try await outbox.enqueue(post("first", to: slow))
    try await slow.waitForRequests(1)
    try await sleep(outbox)
    let second = try await outbox.enqueue(post("second", to: harness.server))
    _ = try await second.outcome()
    #expect(try await first.status()?.attempts == 1)
    gates[0].open()
    _ = try await first.outcome()
    #expect(slow.requests.count == 1)
    await outbox.close()
  }
}

/// A clock that moves only while the machine sleeps, and whose timers move only while it does not.
private struct SleptClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let slept: @Sendable () -> Duration
  private let onSleep: @Sendable (Duration) -> Void

  init(
    _ slept: @escaping @Sendable () -> Duration, onSleep: @escaping @Sendable (Duration) -> Void = { _ in }
  ) {
    (self.slept, self.onSleep) = (slept, onSleep)
  }

  var now: Instant { Instant(offset: slept()) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    onSleep(deadline.offset)
    try await Task.sleep(for: now.duration(to: deadline), tolerance: tolerance, clock: .continuous)
  }
}
