import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct SlotsTests {
  private func slots(_ total: Int?, perOrigin: Int? = nil, reserved: Int = 0) -> Slots {
    Slots(limits(total, perOrigin: perOrigin, reserved: reserved), Timeline(VirtualClock()))
  }

  private func limits(_ total: Int?, perOrigin: Int? = nil, reserved: Int = 0) -> ConcurrencyLimits {
    var limits = ConcurrencyLimits(total: total, perOrigin: perOrigin)
    limits.reserved = reserved
    return limits
  }

  private func acquire(
    _ slots: Slots, origin: String = "a", effectivePriority: EffectivePriority = EffectivePriority(.default),
    cancellation: CancellationToken = CancellationToken()
  ) -> Task<Slot, any Error> {
    Task {
      try await slots.acquire(
        origin: origin, effectivePriority: effectivePriority, cancellation: cancellation)
    }
  }

  private func untilWaiting(_ count: Int, _ slots: Slots) async {
    while slots.load.waiting != count { await Task.yield() }
  }

  @Test func `the origin is computed only if there is a limit per origin`() async throws {
    let asked = Locked(0)
    func origin() -> String {
      asked.withLock { $0 += 1 }
      return "a"
    }
    let slots = slots(2)
    let slot = try await slots.acquire(
      origin: origin(), effectivePriority: EffectivePriority(.default), cancellation: CancellationToken())
    #expect(asked.withLock { $0 } == 0)
    slots.limits.perOrigin = 2
    let second = try await slots.acquire(
      origin: origin(), effectivePriority: EffectivePriority(.default), cancellation: CancellationToken())
    #expect(asked.withLock { $0 } == 1)
    slots.release(slot)
    slots.release(second)
    #expect(slots.load == SlotLoad())
  }

  @Test func `requests start in order as slots are released`() async throws {
    let slots = slots(1)
    var slot = try await acquire(slots).value
    var tasks: [Task<Slot, any Error>] = []
    for count in 1...5 {
      tasks.append(acquire(slots))
      await untilWaiting(count, slots)
    }
    for task in tasks {
      slots.release(slot)
      slot = try await task.value
    }
    slots.release(slot)
    #expect(slots.load == SlotLoad())
  }

  @Test func `a request that is cancelled while it waits leaves at once, with its reason`() async throws {
    let slots = slots(1)
    let slot = try await acquire(slots).value
    let cancellation = CancellationToken()
    let called = acquire(slots, cancellation: cancellation)
    await untilWaiting(1, slots)
    cancellation.cancel(.cancelled(.taskCancelled))
    let error = await #expect(throws: RequestError.self) { try await called.value }
    #expect(error?.cancellation == .taskCancelled)
    #expect(slots.load.waiting == 0)
    #expect(slots.load.running == 1)
    slots.release(slot)
  }

  @Test func `a request that is already cancelled does not wait`() async throws {
    let slots = slots(1)
    let slot = try await acquire(slots).value
    let cancellation = CancellationToken()
    cancellation.cancel(.deadlineExceeded(.seconds(1)))
    let error = await #expect(throws: RequestError.self) {
      try await acquire(slots, cancellation: cancellation).value
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(slots.load.waiting == 0)
    slots.release(slot)
  }

  @Test func `a waiting request that is raised is moved, and is not moved after it started`()
    async throws
  {
    let slots = slots(2, reserved: 1)
    let held = try await acquire(slots, effectivePriority: EffectivePriority(.background)).value
    let first = acquire(slots, effectivePriority: EffectivePriority(.background))
    await untilWaiting(1, slots)
    let effectivePriority = EffectivePriority(.background)
    let second = acquire(slots, effectivePriority: effectivePriority)
    await untilWaiting(2, slots)
    #expect(slots.load.waiting(.background) == 2)
    effectivePriority.raise(to: .userInitiated)
    let raised = try await second.value
    #expect(slots.load.waiting(.background) == 1)
    slots.release(held)
    slots.release(try await first.value)
    slots.release(raised)
    #expect(slots.load == SlotLoad())
  }

  @Test func `limits can be changed while requests wait and run`() async throws {
    let slots = slots(1)
    let first = try await acquire(slots).value
    let tasks = (0..<3).map { _ in acquire(slots) }
    await untilWaiting(3, slots)
    slots.limits.total = 4
    #expect(slots.limits == limits(4))
    #expect(slots.load.running == 4)
    var held = [first]
    for task in tasks { held.append(try await task.value) }
    slots.limits = limits(2)
    let last = acquire(slots)
    await untilWaiting(1, slots)
    slots.release(held.removeLast())
    slots.release(held.removeLast())
    #expect(slots.load.waiting == 1)
    slots.release(held.removeLast())
    held.append(try await last.value)
    for slot in held { slots.release(slot) }
    #expect(slots.load == SlotLoad())
  }
}
