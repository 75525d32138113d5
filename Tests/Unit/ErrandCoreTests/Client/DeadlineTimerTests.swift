import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct DeadlineTimerTests {
  @Test func `one task sleeps for many deadlines, and the timer fires at the earliest`() async throws {
    let clock = VirtualClock()
    let (rings, tell) = AsyncStream.makeStream(of: Duration.self)
    let timer = DeadlineTimer(Timeline(clock)) { now in
      tell.yield(now)
      return now < .seconds(3) ? .seconds(3) : nil
    }
    timer.set(for: .seconds(5))
    try await clock.waitForSleepers()
    timer.set(for: .seconds(9))
    timer.set(for: .seconds(2))
    var heard = rings.makeAsyncIterator()
    // The abandoned sleep ends by its cancellation.
    while clock.ends.map(\.offset) != [.seconds(2)] { await Task.yield() }
    await clock.advance(by: .seconds(2))
    #expect(await heard.next() == .seconds(2))
    try await clock.waitForSleepers()
    #expect(clock.ends.map(\.offset) == [.seconds(3)])
    await clock.advance(by: .seconds(1))
    #expect(await heard.next() == .seconds(3))
    #expect(clock.sleepers == 0)
  }

  private enum Local {
    @TaskLocal static var value = "none"
  }

  @Test func `a timer does not inherit the task-local values and the priority of the task that set it`()
    async throws
  {
    let (rings, tell) = AsyncStream.makeStream(of: (String, TaskPriority).self)
    let timer = DeadlineTimer(Timeline(ContinuousClock())) { _ in
      tell.yield((Local.value, Task.currentPriority))
      return nil
    }
    Local.$value.withValue("another's") {
      _ = Task(priority: .background) { timer.set(for: .zero) }
    }
    var heard = rings.makeAsyncIterator()
    let (value, priority) = try #require(await heard.next())
    #expect(value == "none")
    #expect(priority >= .high)
  }

  @Test func `a timer that many tasks set at once leaves nothing behind`() async throws {
    let clock = VirtualClock()
    for _ in 0..<300 {
      let timer = DeadlineTimer(Timeline(clock)) { _ in nil }
      await withDiscardingTaskGroup { group in
        // Each deadline is earlier than the one before, so each one sets the timer again.
        for offset in 0..<4 {
          group.addTask { for due in 1...100 { timer.set(for: .seconds(1000 - due * 4 - offset)) } }
        }
      }
    }
    while clock.sleepers > 0 { await Task.yield() }
  }
}
