import Dispatch
import ErrandCore
import ErrandTesting
import Testing

/// Blocks the thread for many more rounds of the main thread than a clock waits for.
private func outlastRounds() {
  let end = DispatchSemaphore(value: 0)
  for _ in 0..<200 {
    // Not `sync`, which runs on this thread if the main thread is idle.
    DispatchQueue.main.async { end.signal() }
    end.wait()
  }
}

@Suite("A virtual clock that several calls move", .timeLimit(.minutes(2)))
struct VirtualClockMovesTests {
  private static let tries = 50
  let clock = VirtualClock()

  /// An actor whose jobs last longer than a clock waits that does not count them.
  private actor Slow {
    private(set) var jobs = 0

    func work() {
      outlastRounds()
      jobs += 1
    }
  }
  private let slow = Slow()

  /// Runs `work` while another task sleeps for an hour, which must not end.
  private func beforeTheHour(_ work: () async throws -> Void) async throws {
    let hour = Task { try await clock.sleep(for: .seconds(3600)) }
    defer { hour.cancel() }
    try await clock.waitForSleepers()
    try await work()
  }

  @Test func `a run ends although an advance wakes nobody meanwhile`() async throws {
    for _ in 0..<Self.tries {
      let clock = VirtualClock()
      let running = Task { try await clock.run { try await clock.sleep(for: .seconds(10)) } }
      await clock.advance(by: .seconds(1))
      try await running.value
    }
  }

  @Test func `a run ends although the clock advances to its next sleeper meanwhile`() async throws {
    let running = Task {
      try await clock.run { for _ in 0..<2 { try await clock.sleep(for: .seconds(10)) } }
    }
    try await clock.waitForSleepers()
    await clock.advanceToNext()
    try await running.value
    #expect(clock.now.offset == .seconds(20))
  }

  @Test func `two advances at once pass no work that is due`() async throws {
    for _ in 0..<Self.tries {
      let clock = VirtualClock()
      let ticks = Locked<[Duration]>([])
      let ticking = Task {
        while true {
          try await clock.sleep(for: .seconds(1))
          ticks.withLock { $0.append(clock.now.offset) }
        }
      }
      try await clock.waitForSleepers()
      async let one: Void = clock.advance(by: .seconds(10))
      async let other: Void = clock.advance(by: .seconds(10))
      _ = await (one, other)
      #expect(ticks.withLock { $0 } == (1...Int(clock.now.offset.components.seconds)).map { .seconds($0) })
      ticking.cancel()
    }
  }

  @Test func `two calls of advanceToNext wake one sleeper each`() async throws {
    let sleeping = (1...2).map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
    try await clock.waitForSleepers(2)
    async let one = clock.advanceToNext()
    async let other = clock.advanceToNext()
    #expect(await (one, other) == (true, true))
    #expect(clock.now.offset == .seconds(2))
    for task in sleeping { try await task.value }
  }

  @Test func `counted work stays counted after a run within it`() async throws {
    try await beforeTheHour {
      let times = Locked<[Duration]>([])
      let working = Task {
        try await clock.sleep(for: .seconds(1))
        try await clock.run { try await clock.sleep(for: .seconds(1)) }
        for _ in 0..<3 { await slow.work() }
        times.withLock { $0.append(clock.now.offset) }
      }
      try await clock.waitForSleepers(2)
      await clock.advance(by: .seconds(100))
      #expect(times.withLock { $0 } == [.seconds(2)])
      try await working.value
      try await clock.run {
        try await clock.run { try await clock.sleep(for: .seconds(1)) }
        for _ in 0..<3 { await slow.work() }
        #expect(clock.now.offset == .seconds(101))
      }
    }
  }

  @Test func `counted work stays counted after an advance within it, which ends first`() async throws {
    try await beforeTheHour {
      let times = Locked<[Duration]>([])
      let working = Task {
        try await clock.sleep(for: .seconds(1))
        await clock.advance(by: .seconds(1))
        for _ in 0..<3 { await slow.work() }
        times.withLock { $0.append(clock.now.offset) }
      }
      try await clock.waitForSleepers(2)
      await clock.advance(by: .seconds(100))
      #expect(times.withLock { $0 } == [.seconds(2)])
      try await working.value
    }
  }

  @Test func `a run's work ends with the run`() async throws {
    await clock.run { await slow.work() }
    // A clock that counted this loop would never move.
    let advancing = Task { await clock.advance(by: .seconds(1)) }
    while clock.now.offset < .seconds(1) { await Task.yield() }
    await advancing.value
  }

  @Test func `a task that waits for sleepers does not become part of their work`() async throws {
    let sleeping = Task(executorPreference: clock) {
      // The test waits before this task sleeps.
      for _ in 0..<1000 { await Task.yield() }
      while !Task.isCancelled { try await clock.sleep(for: .seconds(1)) }
    }
    try await clock.waitForSleepers()
    let advancing = Task { await clock.advance(by: .seconds(1)) }
    // A clock that counted this loop would never move.
    while clock.now.offset < .seconds(1) { await Task.yield() }
    await advancing.value
    sleeping.cancel()
    _ = await sleeping.result
  }

  @Test func `the closure of a run is counted although it calls actors and yields`() async throws {
    try await beforeTheHour {
      await clock.run {
        for _ in 0..<3 {
          await slow.work()
          await Task.yield()
          await slow.work()
          await withTaskGroup { group in
            group.addTask { @concurrent in
              await slow.work()
              await Task.yield()
              outlastRounds()
            }
          }
        }
        #expect(clock.now.offset == .zero)
      }
    }
  }

  @Test func `a counted task stays counted when its sleep is cancelled`() async throws {
    try await beforeTheHour {
      let time = Locked<Duration?>(nil)
      let working = Task {
        try await clock.sleep(for: .seconds(1))
        try? await clock.sleep(for: .seconds(50))
        for _ in 0..<3 { await slow.work() }
        time.withLock { $0 = clock.now.offset }
      }
      try await clock.waitForSleepers(2)
      await clock.advance(by: .seconds(1))
      working.cancel()
      await clock.advance(by: .seconds(100))
      #expect(time.withLock { $0 } == .seconds(1))
      try await working.value
    }
  }

  @Test func `work that uses a second clock counts for both`() async throws {
    try await beforeTheHour {
      let other = VirtualClock()
      try await clock.run {
        try await other.run {
          for _ in 0..<50 { try await other.sleep(for: .milliseconds(100)) }
          await slow.work()
        }
        #expect(clock.now.offset == .zero)
        await slow.work()
        let sleeping = Task {
          try await other.sleep(for: .seconds(5))
          await slow.work()
        }
        try await other.waitForSleepers()
        await other.advance(by: .seconds(5))
        try await sleeping.value
        await slow.work()
        #expect(clock.now.offset == .zero)
        #expect(other.now.offset == .seconds(10))
        try await clock.sleep(for: .seconds(1))
        #expect(clock.now.offset == .seconds(1))
      }
    }
  }

  @Test func `a task that sleeps or runs on a second clock still counts for the first`() async throws {
    let other = VirtualClock()
    let times = Locked<[Duration]>([])
    let working = Task {
      try await clock.sleep(for: .seconds(1))
      try await other.sleep(for: .seconds(1))
      for _ in 0..<3 { await slow.work() }
      times.withLock { $0.append(clock.now.offset) }
      await Task(executorPreference: other) { for _ in 0..<3 { await slow.work() } }.value
      times.withLock { $0.append(clock.now.offset) }
    }
    try await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    #expect(other.wakeNext())
    await clock.advance(by: .seconds(100))
    #expect(times.withLock { $0 } == [.seconds(1), .seconds(1)])
    try await working.value
  }

  @Test func `a clock moves when the clock within its work has no sleeper`() async throws {
    let other = VirtualClock()
    try await clock.run {
      try await other.run {
        try await clock.sleep(for: .seconds(1))
        try await other.sleep(for: .seconds(2))
        try await clock.sleep(for: .seconds(1))
      }
    }
    #expect(clock.now.offset == .seconds(2))
    #expect(other.now.offset == .seconds(2))
  }

  @Test func `clocks within each other's work do not wait for each other`() async throws {
    for _ in 0..<Self.tries {
      let (first, second) = (VirtualClock(), VirtualClock())
      @Sendable func run(_ outer: VirtualClock, _ inner: VirtualClock) async throws {
        try await outer.run {
          try await outer.sleep(for: .seconds(1))
          try await inner.run {
            try await inner.sleep(for: .seconds(1))
            try await outer.sleep(for: .seconds(1))
          }
          await inner.advance(by: .seconds(3))
        }
      }
      async let one: Void = run(first, second)
      async let other: Void = run(second, first)
      _ = try await (one, other)
    }
  }
}
