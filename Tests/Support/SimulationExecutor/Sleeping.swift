#if os(Linux)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

  extension Executor {
    /// Makes the platform's own executor, which this one replaces, run a job after a while. No job of a
    /// simulation sleeps by the platform's clocks.
    func forward<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C,
      to original: any Executor
    ) {
      precondition(JobQueue.current == nil, "in a simulation, sleep on the simulation's clock")
      guard let original = original as? any SchedulingExecutor else {
        preconditionFailure("the platform's executor cannot sleep")
      }
      original.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
    }
  }
#endif
