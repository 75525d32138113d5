import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct IgnoringTests {
  private let clock = VirtualClock()
  private let repeats: Coalescer<Int>

  init() { repeats = Coalescer(Timeline(clock)) }

  @Test func `a repeat gets its own error, which says when the first request was sent`() async throws {
    try repeats.admit("like", within: .seconds(3))
    await clock.advance(by: .milliseconds(1500))
    let error = #expect(throws: RequestError.self) { try repeats.admit("like", within: .seconds(3)) }
    #expect(error?.code == .ignoredRepeat)
    #expect(error?.isCancellation == false)
    #expect(error?.reachedServer == false)
    #expect(error?.message == "the same request was sent 1.5 s ago, and its repeats are ignored for 3 s")
    await clock.advance(by: .milliseconds(1500))
    #expect(throws: Never.self) { try repeats.admit("like", within: .seconds(3)) }
  }

  @Test func `one timer removes all windows that have ended`() async throws {
    for index in 0..<1000 { try repeats.admit(RequestKey(index), within: .milliseconds(3000 + index % 90)) }
    try await clock.waitForSleepers()
    #expect(clock.sleepers == 1)
    await clock.advance(by: .seconds(4))
    while !repeats.states.isEmpty { await Task.yield() }
    #expect(clock.sleepers == 0)
  }

  @Test func `exactly one of many concurrent requests with the same key is admitted`() async {
    let passed = await withTaskGroup { group in
      for _ in 0..<1000 {
        group.addTask { [repeats] in
          do {
            try repeats.admit("key", within: .seconds(3))
            return 1
          } catch { return 0 }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(passed == 1)
  }
}
