import Testing

@testable import ErrandCore

struct MomentTests {
  private let now = Moment.now
  private let longest = Duration.seconds(Int64.max)

  @Test func `a moment moves by durations and milliseconds`() {
    #expect(now + .nanoseconds(1_500_001) - now == .nanoseconds(1_500_001))
    #expect(now.advanced(byMilliseconds: 250) == now + .milliseconds(250))
    #expect((now + .nanoseconds(1_999_999)).milliseconds(since: now) == 1)
    #expect(now.milliseconds(since: now + .milliseconds(7)) == -7)
    #expect(now < now + .nanoseconds(1))
  }

  @Test func `a moment beyond the last one is the last one`() {
    let last = now + longest
    #expect(last > now + .seconds(1 << 30))
    #expect(last + longest == last)
    #expect(now.advanced(byMilliseconds: .max) == last)
    let first = now + (.zero - longest)
    #expect(first < now + .seconds(-1 << 30))
    #expect(now.advanced(byMilliseconds: .min) == first)
  }

  @Test func `the time between the first and the last moment is clamped`() {
    let (first, last) = (now.advanced(byMilliseconds: .min), now.advanced(byMilliseconds: .max))
    #expect(last.milliseconds(since: first) == Int(Int64.max / 1_000_000))
    #expect(first.milliseconds(since: last) == Int(Int64.min / 1_000_000))
    #expect(last - first > .nanoseconds(Int64.max))
  }

  @Test func `the clock does not run backwards, and is the system's continuous clock`() async throws {
    let (moment, instant) = (Moment.now, ContinuousClock.now)
    try await Task.sleep(for: .milliseconds(20))
    let (passed, expected) = (Moment.now - moment, ContinuousClock.now - instant)
    #expect(passed >= .milliseconds(20))
    // Between the readings of the two clocks the system may stop the thread.
    #expect(passed - expected < .seconds(5) && expected - passed < .seconds(5))
  }
}
