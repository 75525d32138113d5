#if os(Linux)
  import CSimulation
  import ErrandTesting

  /// The jobs of one simulation that are ready to run. Belongs to the thread that runs it.
  final class JobQueue {
    private var ready: [(job: UnownedJob, isMain: Bool)] = []
    private var random: SeededRandom
    private(set) var count = 0
    private(set) var trace = TraceHash()

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// The queue of the simulation that this thread runs.
    static var current: JobQueue? {
      errand_simulation_current().map { Unmanaged<JobQueue>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Collects all jobs that `work` makes ready, on this thread.
    func capturing<Result>(_ work: () -> Result) -> Result {
      precondition(Self.current == nil, "a simulation inside a simulation")
      return withExtendedLifetime(self) {
        errand_simulation_set_current(Unmanaged.passUnretained(self).toOpaque())
        defer { errand_simulation_set_current(nil) }
        return work()
      }
    }

    func add(_ job: UnownedJob, isMain: Bool) { ready.append((job, isMain)) }

    /// Runs a randomly chosen job that is ready. Returns false if no job is ready.
    func runNext() -> Bool {
      guard !ready.isEmpty else { return false }
      let index = ready.count == 1 ? 0 : Int.random(in: ready.indices, using: &random)
      trace.add(UInt64(ready.count) << 32 | UInt64(index))
      ready.swapAt(index, ready.count - 1)
      let (job, isMain) = ready.removeLast()
      count += 1
      if isMain {
        job.runSynchronously(on: SimulationExecutors.main.asUnownedSerialExecutor())
      } else {
        job.runSynchronously(on: SimulationExecutors.global.asUnownedTaskExecutor())
      }
      return true
    }

    /// Called when the time has moved.
    func note(_ time: Duration) {
      trace.add(UInt64(bitPattern: time.components.seconds))
      trace.add(UInt64(bitPattern: time.components.attoseconds))
    }
  }
#endif
