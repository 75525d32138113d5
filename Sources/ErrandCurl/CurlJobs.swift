/// The jobs of tasks that run on an engine's thread. Only that thread uses it.
struct CurlJobs {
  private var waiting: [UnownedJob] = []

  var isEmpty: Bool { waiting.isEmpty }

  mutating func add(_ job: UnownedJob) { waiting.append(job) }

  /// Replaces the jobs of the last turn with the waiting ones. Jobs that are added while these run wait for
  /// the next turn, so that the network gets its turn in between.
  mutating func take(_ jobs: inout [UnownedJob]) {
    jobs.removeAll(keepingCapacity: true)
    swap(&jobs, &waiting)
  }

  static func runElsewhere(_ job: UnownedJob) { globalConcurrentExecutor.enqueue(job) }
}
