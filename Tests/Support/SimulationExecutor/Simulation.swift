#if os(Linux)
  public import ErrandTesting

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

  /// Concurrent code, run by one thread in an order that a seed determines, in time that does not pass by
  /// itself.
  ///
  /// Everything that the body starts is captured: tasks of every kind, groups, actors and the main actor.
  /// Code that runs elsewhere (dispatch queues, threads) is not; avoid it.
  public struct Simulation: Sendable {
    /// Its time. It moves to the end of the next sleep when no job is left to run.
    public let clock = VirtualClock(countsWork: false)
    public let seed: UInt64

    /// The wall clock, beginning at 2026-01-01T00:00:00Z.
    public var date: @Sendable () -> Date {
      clock.date(startingAt: Date(timeIntervalSince1970: 1_767_225_600))
    }

    /// Random numbers that depend only on the seed and on `purpose`.
    public func random(_ purpose: UInt64) -> SeededRandom {
      var mixed = SeededRandom(seed: seed &* 0x2545_F491_4F6C_DD1D &+ purpose)
      return SeededRandom(seed: mixed.next())
    }

    public init(seed: UInt64) { self.seed = seed }

    /// Runs `body` on this thread until it has returned and everything that it started has come to rest.
    /// - Parameter limit: The maximum number of jobs, so that work that never comes to rest does not run
    ///   forever.
    public static func run<Value: Sendable>(
      seed: UInt64, limit: Int = 1_000_000, _ body: @escaping @Sendable (Simulation) async -> Value
    ) -> SimulationReport<Value> {
      let simulation = Simulation(seed: seed)
      return simulation.run(limit: limit) { await body(simulation) }
    }

    /// Runs `body` in this simulation, once.
    public func run<Value: Sendable>(
      limit: Int = 1_000_000, _ body: @escaping @Sendable () async -> Value
    ) -> SimulationReport<Value> {
      let queue = JobQueue(seed: seed)
      let result = ResultBox<Value>()
      let isQuiet = queue.capturing {
        Task.detached { result.value = await body() }
        while queue.count < limit {
          if queue.runNext() { continue }
          guard clock.wakeNext() else { return true }
          queue.note(clock.now.offset)
        }
        return false
      }
      let outcome: SimulationReport<Value>.Outcome =
        if !isQuiet { .endless(jobs: queue.count) } else { result.value.map { .finished($0) } ?? .stuck }
      return SimulationReport(
        outcome: outcome, jobs: queue.count, trace: queue.trace.value, time: clock.now.offset)
    }
  }

  // Safe to share: one thread runs the whole simulation.
  private final class ResultBox<Value: Sendable>: @unchecked Sendable {
    var value: Value?
  }
#endif
