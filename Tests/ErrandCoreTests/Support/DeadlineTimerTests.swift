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
    clock.advance(by: .seconds(2))
    #expect(await heard.next() == .seconds(2))
    try await clock.waitForSleepers()
    #expect(clock.ends.map(\.offset) == [.seconds(3)])
    clock.advance(by: .seconds(1))
    #expect(await heard.next() == .seconds(3))
    #expect(clock.sleepers == 0)
  }
}
