import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct SlotsRaceTests {
  private final class Tally: Sendable {
    struct Counts {
      var holding = 0
      var most = 0
      var started = 0
      var cancelled = 0
    }

    private let counts = Locked(Counts())
    var now: Counts { counts.withLock { $0 } }

    func begin() {
      counts.withLock { counts in
        counts.started += 1
        counts.holding += 1
        counts.most = max(counts.most, counts.holding)
      }
    }
    func end() { counts.withLock { $0.holding -= 1 } }
    func cancel() { counts.withLock { $0.cancelled += 1 } }
  }

  @Test(arguments: 1...5)
  func `of many racing requests each has one outcome, and no slot is lost`(
    seed: UInt64
  ) async {
    var random = SeededRandom(seed: seed)
    var limits = ConcurrencyLimits(total: 5, perOrigin: Bool.random(using: &random) ? 3 : nil)
    limits.reserved = 2
    let slots = Slots(limits, Timeline(ContinuousClock()))
    let tally = Tally()
    let count = 1000
    await withTaskGroup { group in
      for number in 0..<count {
        let cancellation = CancellationToken()
        let effectivePriority = EffectivePriority(Priority.allCases.randomElement(using: &random) ?? .default)
        let yields = Int.random(in: 0..<4, using: &random)
        group.addTask {
          do {
            let slot = try await slots.acquire(
              origin: "origin\(number % 4)", effectivePriority: effectivePriority, cancellation: cancellation)
            tally.begin()
            for _ in 0..<yields { await Task.yield() }
            tally.end()
            slots.release(slot)
          } catch {
            #expect(error.isCancellation)
            tally.cancel()
          }
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
          group.addTask { cancellation.cancel(.cancelled(.taskCancelled)) }
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
          group.addTask { effectivePriority.raise(to: .userInitiated) }
        }
      }
    }
    let end = tally.now
    #expect(end.started + end.cancelled == count)
    #expect(end.most <= 5)
    #expect(slots.load == SlotLoad())
  }

  @Test func `a slot that is granted while its call is cancelled is passed on`() async throws {
    let slots = Slots(ConcurrencyLimits(total: 1), Timeline(ContinuousClock()))
    for _ in 0..<500 {
      let held = try await slots.acquire(
        origin: "", effectivePriority: EffectivePriority(.default), cancellation: CancellationToken())
      let cancellation = CancellationToken()
      let called = Task {
        try await slots.acquire(
          origin: "", effectivePriority: EffectivePriority(.default), cancellation: cancellation)
      }
      let next = Task {
        try await slots.acquire(
          origin: "", effectivePriority: EffectivePriority(.background), cancellation: CancellationToken())
      }
      while slots.load.waiting < 2 { await Task.yield() }
      async let stopped: Void = cancellation.cancel(.cancelled(.taskCancelled))
      slots.release(held)
      await stopped
      if let slot = try? await called.value { slots.release(slot) }
      slots.release(try await next.value)
      #expect(slots.load == SlotLoad())
    }
  }

  /// Triggers the event each time the time is read.
  private struct EventfulClock: Clock {
    let clock = VirtualClock()
    let event: @Sendable () -> Void

    var now: VirtualClock.Instant {
      event()
      return clock.now
    }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: VirtualClock.Instant, tolerance: Duration?) async throws {
      try await clock.sleep(until: deadline, tolerance: tolerance)
    }
  }

  @Test func `a request that is raised just before it observes its priority is moved nevertheless`()
    async throws
  {
    var limits = ConcurrencyLimits(total: 2)
    limits.reserved = 1
    let urgent = Locked<EffectivePriority?>(nil)
    let clock = EventfulClock { urgent.withLock { $0 }?.raise(to: .userInitiated) }
    let slots = Slots(limits, Timeline(clock))
    let held = try await slots.acquire(
      origin: "", effectivePriority: EffectivePriority(.background), cancellation: CancellationToken())
    let effectivePriority = EffectivePriority(.background)
    urgent.withLock { $0 = effectivePriority }
    // The time is read after the request's priority was read and before it waits.
    slots.release(
      try await slots.acquire(
        origin: "", effectivePriority: effectivePriority, cancellation: CancellationToken()))
    slots.release(held)
    #expect(slots.load == SlotLoad())
  }
}
