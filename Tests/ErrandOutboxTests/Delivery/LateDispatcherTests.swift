import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// A machine that slept while requests were in flight: when it wakes, their leases are over.
@Suite(.timeLimit(.minutes(1))) final class LateDispatcherTests: Sendable {
  private let harness: OutboxHarness
  private let gate = ServerGate()
  private let slept = Locked(Duration.zero)

  init() throws { harness = try OutboxHarness() }

  private func outbox(concurrency: Int) async throws -> Outbox {
    try await harness.outbox { configuration in
      configuration.concurrency = concurrency
      configuration.clock = SleptClock { self.slept.withLock { $0 } }
      configuration.date = { Date(milliseconds: self.time().wall) }
    } time: {
      self.time()
    }
  }

  private func other() async throws -> SQLiteOutboxStore {
    var setup = StoreSetup()
    setup.time = time
    return try await SQLiteOutboxStore(folder: harness.folder, setup: setup)
  }

  @Sendable private func time() -> StoreTime {
    var now = StoreTime.now()
    let slept = slept.withLock { $0 }.storedMilliseconds
    now.ticks += slept
    now.wall += slept
    return now
  }

  private func sleep(_ duration: Duration = .seconds(3600)) { slept.withLock { $0 = duration } }

  @Test func `a claimed row that waits is not sent once another store has claimed it`() async throws {
    harness.server.on("/") { [gate] _ in
      gate.pass()
      return .response()
    }
    let outbox = try await outbox(concurrency: 1)
    _ = try await outbox.enqueue((0..<4).map { .post(harness.server.url("/"), .text("\($0)")) })
    try await harness.server.waitForRequests(1)
    let other = try await other()
    sleep()
    let claim = try await other.claim(10, for: .seconds(60))
    #expect(claim.rows.count == 4)

    // The first request is in flight: it is delivered or given up, whichever the outbox learns first.
    gate.open()
    while outbox.dispatcher.state.withLock({ $0.inFlight.waiting + $0.inFlight.sending }) > 0 {
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(harness.keys().count == 1)

    await other.close()
    try await outbox.waitUntilEmpty()
    let first = try #require(harness.keys().first)
    #expect(Set(harness.keys()).count == 4)
    #expect(harness.keys().count { $0 != first } == 3)
    await outbox.close()
  }

  /// A lease with a quarter left would end during the next attempt.
  @Test func `a lease is renewed before a third of it is left, and for its whole length`() async throws {
    let gates = [gate, ServerGate()]
    let count = Locked(0)
    harness.server.on("/") { _ in
      gates[
        count.withLock { count in
          defer { count += 1 }
          return count
        }
      ].pass()
      return .response()
    }
    let outbox = try await outbox(concurrency: 1)
    let lease = OutboxConfiguration().lease
    _ = try await outbox.enqueue((0..<2).map { .post(harness.server.url("/"), .text("\($0)")) })
    try await harness.server.waitForRequests(1)
    let other = try await other()
    sleep(lease * 3 / 4)
    gate.open()
    try await harness.server.waitForRequests(2)
    sleep(lease * 3 / 2)
    let early = try await other.claim(10, for: lease)
    #expect(early.rows.isEmpty && early.recovered.isEmpty)
    gates[1].open()
    try await outbox.waitUntilEmpty()
    #expect(harness.keys().count == 2 && Set(harness.keys()).count == 2)
    await other.close()
    await outbox.close()
  }

  @Test func `a row in flight is not recovered as left behind`() async throws {
    let slow = try MockServer()
    slow.on("/") { [gate] _ in
      gate.pass()
      return .response()
    }
    harness.server.on("/") { _ in .response() }
    let outbox = try await outbox(concurrency: 4)
    let first = try await outbox.enqueue(.post(slow.url("/"), .text("first")))
    try await slow.waitForRequests(1)
    sleep()
    let second = try await outbox.enqueue(.post(harness.server.url("/"), .text("second")))
    _ = try await second.outcome()
    #expect(try await first.status()?.attempts == 1)
    gate.open()
    _ = try await first.outcome()
    #expect(slow.requests.count == 1)
    await outbox.close()
  }
}

/// A clock that ran on while the machine slept, and whose timers did not.
private struct SleptClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let start = ContinuousClock.now
  private let slept: @Sendable () -> Duration

  init(_ slept: @escaping @Sendable () -> Duration) { self.slept = slept }

  var now: Instant { Instant(offset: ContinuousClock.now - start + slept()) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await Task.sleep(for: now.duration(to: deadline), tolerance: tolerance, clock: .continuous)
  }
}
