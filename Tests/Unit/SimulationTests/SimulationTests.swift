#if os(Linux)
  import ErrandCore
  import ErrandTesting
  import SimulationExecutor
  import Testing

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  @Suite struct SimulationTests {
    private actor Log {
      private(set) var lines: [String] = []
      func add(_ line: String) -> Int {
        lines.append(line)
        return lines.count
      }
    }

    @MainActor private static func onMain(_ line: String, _ log: Log) async -> Int {
      MainActor.assertIsolated()
      return await log.add(line)
    }

    /// Uses every language feature that creates jobs.
    private static func everything(_ simulation: Simulation) async -> [String] {
      let log = Log()
      await withTaskGroup(of: Void.self) { group in
        for child in 0..<4 {
          group.addTask {
            _ = await log.add("child \(child)")
            await Task.yield()
            _ = await log.add("child \(child) again")
          }
        }
      }
      let tasks = [
        Task { await log.add("task") },
        Task.detached(priority: .background) { await log.add("detached") },
        Task.immediate { await log.add("immediate") },
        Task { @MainActor in await onMain("main", log) },
        Task {
          try? await simulation.clock.sleep(for: .seconds(3600))
          return await log.add("an hour later")
        },
      ]
      async let one = log.add("one")
      async let two = log.add("two")
      _ = await [one, two]
      let (numbers, feed) = AsyncStream.makeStream(of: Int.self)
      let feeding = Task {
        for number in 0..<3 {
          feed.yield(number)
          await Task.yield()
        }
        feed.finish()
      }
      for await number in numbers { _ = await log.add("number \(number)") }
      await feeding.value
      for task in tasks { _ = await task.value }
      return await log.lines
    }

    @Test func `a seed always gives the same order, and other seeds other orders`() async throws {
      let orders = await OwnThread.run {
        (0..<200 as Range<UInt64>).map { seed in
          let first = Simulation.run(seed: seed, Self.everything)
          let second = Simulation.run(seed: seed, Self.everything)
          return (first.value ?? [], second.value ?? [], first.trace == second.trace, first.time)
        }
      }
      for (first, second, isSame, time) in orders {
        #expect(first.count == 18)
        #expect(first == second)
        #expect(isSame)
        #expect(time == .seconds(3600))
      }
      #expect(Set(orders.map { $0.0 }).count > 190)
      #expect(Set(orders.map { $0.0.sorted() }).count == 1)
    }

    @Test func `two threads simulate concurrently, and ordinary tasks continue meanwhile`() async {
      async let left = OwnThread.run {
        (0..<100).map { Simulation.run(seed: $0, Self.everything).trace }
      }
      async let right = OwnThread.run {
        (0..<100).map { Simulation.run(seed: $0, Self.everything).trace }
      }
      let log = Log()
      await withTaskGroup(of: Void.self) { group in
        for line in 0..<100 { group.addTask { _ = await Self.onMain("\(line)", log) } }
      }
      #expect(await log.lines.count == 100)
      #expect(await left == right)
    }

    @Test func `a wait that can never end is reported as stuck`() async {
      let report = await OwnThread.run {
        Simulation.run(seed: 1) { simulation in
          let never = StubGate()
          try? await simulation.clock.sleep(for: .seconds(5))
          try? await never.pass()
        }
      }
      guard case .stuck = report.outcome else {
        Issue.record("\(report)")
        return
      }
      #expect(report.time == .seconds(5))
    }

    @Test func `a simulation that never rests is ended at its limit`() async {
      let report = await OwnThread.run {
        Simulation.run(seed: 1, limit: 1000) { _ in while !Task.isCancelled { await Task.yield() } }
      }
      guard case .endless(jobs: 1000) = report.outcome else {
        Issue.record("\(report)")
        return
      }
    }

    @Test func `the wall clock advances with the simulated time`() async {
      let report = await OwnThread.run {
        Simulation.run(seed: 1) { simulation in
          let before = simulation.date()
          try? await simulation.clock.sleep(for: .milliseconds(1500))
          return simulation.date().timeIntervalSince(before)
        }
      }
      #expect(report.value == 1.5)
    }

    @Test func `random numbers depend only on the seed and the purpose`() async {
      let numbers = await OwnThread.run {
        [(1, 1), (1, 2), (2, 1), (1, 1)].map { (seed: UInt64, purpose: UInt64) in
          Simulation.run(seed: seed) { simulation in
            var random = simulation.random(purpose)
            return random.next()
          }.value
        }
      }
      #expect(Set(numbers).count == 3)
      #expect(numbers.first == numbers.last)
    }
  }
#endif
