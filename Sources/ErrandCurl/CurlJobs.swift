import CCurl
import Synchronization

/// The jobs of tasks that run on an engine's thread.
struct CurlJobs: ~Copyable {
  /// The engine's thread; 0 while there is none.
  private let thread = Atomic<UInt>(0)
  private var waiting: [UnownedJob] = []

  /// True on the engine's thread. From any thread.
  var isOnThread: Bool { thread.load(ordering: .relaxed) == errand_current_thread() }

  // MARK: On the engine's thread

  var isEmpty: Bool { waiting.isEmpty }

  func begin() { thread.store(errand_current_thread(), ordering: .relaxed) }

  mutating func add(_ job: UnownedJob) { waiting.append(job) }

  /// Exchanges the jobs of the last turn for those that wait. Others that come while these run wait for the next turn,
  /// so that the network has its own.
  mutating func take(_ jobs: inout [UnownedJob]) {
    jobs.removeAll(keepingCapacity: true)
    swap(&jobs, &waiting)
  }

  /// Leaves the jobs that wait to other threads.
  mutating func end() {
    thread.store(0, ordering: .relaxed)
    for job in waiting { Self.runElsewhere(job) }
    waiting = []
  }

  static func runElsewhere(_ job: UnownedJob) { globalConcurrentExecutor.enqueue(job) }
}
