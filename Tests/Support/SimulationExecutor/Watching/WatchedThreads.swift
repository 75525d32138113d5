#if os(Linux)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
  import CSimulation
  import Foundation

  /// Replaces the platform's shared threads, and reports each job that holds one of them for too long.
  ///
  /// For `make watch`. The time for which a thread was ready and had no core does not count.
  final class WatchedThreads: TaskExecutor, SchedulingExecutor, @unchecked Sendable {
    // Safe to share: the condition guards everything except the watches, which guard themselves.
    private let original: any TaskExecutor
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var first = 0
    private let threads: [WatchedThread]

    /// - Parameters:
    ///   - report: Called for each such job.
    ///   - original: The platform's executor, which runs jobs after a sleep.
    init(report: FileHandle, _ original: any TaskExecutor) {
      self.original = original
      let log = WatchLog(report)
      threads = (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in WatchedThread(log) }
      for thread in threads { Thread.detachNewThread { self.work(thread) } }
      Thread.detachNewThread { [threads] in
        while true {
          usleep(5000)
          for thread in threads { thread.look() }
        }
      }
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      condition.withLock {
        jobs.append(job)
        condition.signal()
      }
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      forward(job, after: delay, tolerance: tolerance, clock: clock, to: original)
    }

    private func work(_ thread: WatchedThread) {
      thread.begin()
      while true {
        let job = next()
        thread.run { job.runSynchronously(on: SimulationExecutors.global.asUnownedTaskExecutor()) }
      }
    }

    private func next() -> UnownedJob {
      condition.withLock {
        while first == jobs.count { condition.wait() }
        defer {
          first += 1
          if first == jobs.count || first > 1000 {
            jobs.removeFirst(first)
            first = 0
          }
        }
        return jobs[first]
      }
    }
  }
#endif
