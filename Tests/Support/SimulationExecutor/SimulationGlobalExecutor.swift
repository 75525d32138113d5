#if os(Linux)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

  /// The executor of every task without an executor preference. It passes a task to the simulation that this
  /// thread runs, or else to the original executor.
  final class SimulationGlobalExecutor: TaskExecutor, SchedulingExecutor {
    private let original: any TaskExecutor

    init(_ original: any TaskExecutor) { self.original = original }

    func enqueue(_ job: consuming ExecutorJob) {
      guard let queue = JobQueue.current else { return original.enqueue(job) }
      queue.add(UnownedJob(job), isMain: false)
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      forward(job, after: delay, tolerance: tolerance, clock: clock, to: original)
    }
  }
#endif
