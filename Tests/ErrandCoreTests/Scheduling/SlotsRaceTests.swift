import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct SlotsRaceTests {
  private final class Tally: Sendable {
    struct Counts {
      var holding = 0
      var most = 0
      var started = 0
      var calledOff = 0
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
    func callOff() { counts.withLock { $0.calledOff += 1 } }
  }

  @Test(arguments: 1...5)
  func `of many that come, rise and are called off at once, each has one outcome and no slot is lost`(
    seed: UInt64
  ) async {
    var random = SeededRandom(seed: seed)
    var limits = ConcurrencyLimits(total: 5, perOrigin: Bool.random(using: &random) ? 3 : nil)
    limits.kept = 2
    let slots = Slots(limits, Timeline(ContinuousClock()))
    let tally = Tally()
    let count = 1000
    await withTaskGroup { group in
      for number in 0..<count {
        let signal = StopSignal()
        let urgency = Urgency(Priority.allCases.randomElement(using: &random) ?? .default)
        let yields = Int.random(in: 0..<4, using: &random)
        group.addTask {
          do {
            let slot = try await slots.acquire(
              origin: "origin\(number % 4)", urgency: urgency, signal: signal)
            tally.begin()
            for _ in 0..<yields { await Task.yield() }
            tally.end()
            slots.release(slot)
          } catch {
            #expect(error.isCancellation)
            tally.callOff()
          }
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
          group.addTask { signal.stop(.cancelled(.taskCancelled)) }
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
          group.addTask { urgency.raise(to: .userInitiated) }
        }
      }
    }
    let end = tally.now
    #expect(end.started + end.calledOff == count)
    #expect(end.most <= 5)
    #expect(slots.load == SlotLoad())
  }

  @Test func `a turn that comes while its call is called off is passed on`() async throws {
    let slots = Slots(ConcurrencyLimits(total: 1), Timeline(ContinuousClock()))
    for _ in 0..<500 {
      let held = try await slots.acquire(origin: "", urgency: Urgency(.default), signal: StopSignal())
      let signal = StopSignal()
      let called = Task { try await slots.acquire(origin: "", urgency: Urgency(.default), signal: signal) }
      let next = Task {
        try await slots.acquire(origin: "", urgency: Urgency(.background), signal: StopSignal())
      }
      while slots.load.waiting < 2 { await Task.yield() }
      async let stopped: Void = signal.stop(.cancelled(.taskCancelled))
      slots.release(held)
      await stopped
      if let slot = try? await called.value { slots.release(slot) }
      slots.release(try await next.value)
      #expect(slots.load == SlotLoad())
    }
  }

  /// Whoever asks it for the time lets something happen first.
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

  @Test func `one that becomes urgent just before it is listened to is moved all the same`() async throws {
    var limits = ConcurrencyLimits(total: 2)
    limits.kept = 1
    let urgent = Locked<Urgency?>(nil)
    let clock = EventfulClock { urgent.withLock { $0 }?.raise(to: .userInitiated) }
    let slots = Slots(limits, Timeline(clock))
    let held = try await slots.acquire(origin: "", urgency: Urgency(.background), signal: StopSignal())
    let urgency = Urgency(.background)
    urgent.withLock { $0 = urgency }
    // The time is asked for when its priority has been read and it is about to wait.
    slots.release(try await slots.acquire(origin: "", urgency: urgency, signal: StopSignal()))
    slots.release(held)
    #expect(slots.load == SlotLoad())
  }
}
