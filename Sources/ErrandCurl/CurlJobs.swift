/// The jobs of tasks that run on an engine's thread. Touched on that thread only.
struct CurlJobs {
  private var waiting: [UnownedJob] = []

  var isEmpty: Bool { waiting.isEmpty }

  mutating func add(_ job: UnownedJob) { waiting.append(job) }

  /// Exchanges the jobs of the last turn for those that wait. Others that come while these run wait for the next turn,
  /// so that the network has its own.
  mutating func take(_ jobs: inout [UnownedJob]) {
    jobs.removeAll(keepingCapacity: true)
    swap(&jobs, &waiting)
  }

  static func runElsewhere(_ job: UnownedJob) { globalConcurrentExecutor.enqueue(job) }
}
