#if os(Linux)
  import ErrandCore
  import SimulationExecutor

  /// Runs many worlds, in sequence on each of several threads.
  public struct SeedRun: Sendable {
    public private(set) var worlds = 0
    public private(set) var jobs = 0
    public private(set) var callers = 0
    public private(set) var attempts = 0
    /// The first world that failed. For any number of threads, all worlds before it were run.
    public private(set) var failure: WorldReport?

    private var next: UInt64
    private let end: UInt64

    private init(_ seeds: Range<UInt64>) {
      next = seeds.lowerBound
      end = seeds.upperBound
    }

    /// Runs the worlds of these seeds, up to the first that fails.
    /// - Parameter world: Runs the world of a seed, on the calling thread.
    public static func run(
      _ seeds: Range<UInt64>, threads: Int = 1, _ world: @escaping @Sendable (UInt64) -> WorldReport
    ) async -> SeedRun {
      let run = SharedRun(SeedRun(seeds))
      await withDiscardingTaskGroup { group in
        for _ in 0..<threads { group.addTask { await OwnThread.run { run.work(world) } } }
      }
      return run.result
    }

    private mutating func take() -> UInt64? {
      guard failure == nil, next < end else { return nil }
      defer { next += 1 }
      return next
    }

    private mutating func add(_ report: WorldReport) {
      worlds += 1
      jobs += report.jobs
      callers += report.callers
      attempts += report.attempts
      guard !report.violations.isEmpty, report.seed < failure?.seed ?? .max else { return }
      failure = report
    }

    private final class SharedRun: Sendable {
      private let state: Locked<SeedRun>

      init(_ run: SeedRun) { state = Locked(run) }

      var result: SeedRun { state.withLock { $0 } }

      func work(_ world: (UInt64) -> WorldReport) {
        while let seed = state.withLock({ $0.take() }) {
          let report = world(seed)
          state.withLock { $0.add(report) }
        }
      }
    }
  }
#endif
