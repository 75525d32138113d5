#if os(Linux)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

  /// The main actor's executor. In a simulation its jobs run on the simulation's thread, one at a time like all others.
  final class SimulationMainExecutor: MainExecutor, SchedulingExecutor {
    private let original: any MainExecutor

    init(_ original: any MainExecutor) { self.original = original }

    func enqueue(_ job: consuming ExecutorJob) {
      guard let queue = JobQueue.current else { return original.enqueue(job) }
      queue.add(UnownedJob(job), isMain: true)
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      forward(job, after: delay, tolerance: tolerance, clock: clock, to: original)
    }

    func run() throws { try original.run() }
    func stop() { original.stop() }

    func checkIsolated() {
      if JobQueue.current == nil { original.checkIsolated() }
    }
  }
#endif
