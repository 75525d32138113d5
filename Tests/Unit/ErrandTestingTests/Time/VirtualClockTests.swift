import ErrandCore
import ErrandTesting
import Testing

@Suite("The virtual clock")
struct VirtualClockTests {
  let clock = VirtualClock()

  private actor Log {
    private(set) var woken: [(seconds: Int, time: Duration)] = []
    func append(_ seconds: Int, at time: Duration) { woken.append((seconds, time)) }
  }

  @Test("wakes sleepers in the order of their deadlines, each at its own time")
  func order() async throws {
    let log = Log()
    try await withThrowingTaskGroup { group in
      for seconds in [3, 1, 2] {
        group.addTask { [clock] in
          try await clock.sleep(for: .seconds(seconds))
          await log.append(seconds, at: clock.now.offset)
        }
      }
      try await clock.waitForSleepers(3)
      #expect(clock.ends.map(\.offset) == [.seconds(1), .seconds(2), .seconds(3)])
      for expected in 1...3 {
        #expect(await clock.advanceToNext())
        try await group.next()
        let woken = await log.woken
        #expect(woken.count == expected)
        #expect(woken.last?.seconds == expected)
        #expect(woken.last?.time == .seconds(expected))
      }
    }
    #expect(await !clock.advanceToNext())
  }

  @Test("does not wake a sleeper before its time")
  func notBefore() async throws {
    let sleeping = Task { try await clock.sleep(for: .seconds(10)) }
    try await clock.waitForSleepers(1)
    await clock.advance(by: .seconds(9))
    #expect(clock.sleepers == 1)
    await clock.advance(by: .seconds(1))
    #expect(clock.sleepers == 0)
    try await sleeping.value
    #expect(clock.now.offset == .seconds(10))
  }

  @Test("ends a sleep when its task is cancelled, before it began or while it lasts")
  func cancellation() async throws {
    let sleeping = Task { try await clock.sleep(for: .seconds(10)) }
    try await clock.waitForSleepers(1)
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
    #expect(clock.sleepers == 0)

    let gate = StubGate()
    let late = Task {
      try? await gate.pass()
      try await clock.sleep(for: .seconds(10))
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    let watching = Task { try await clock.waitForSleepers(5) }
    watching.cancel()
    await #expect(throws: CancellationError.self) { try await watching.value }
  }

  @Test("runs work with sleeps to its end")
  func run() async throws {
    try await clock.run {
      for _ in 0..<100 { try await clock.sleep(for: .seconds(36)) }
    }
    #expect(clock.now.offset == .seconds(3600))
  }
}
