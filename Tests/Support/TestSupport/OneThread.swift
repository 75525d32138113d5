package import Dispatch

/// Runs the tasks that prefer it one after another, on a dedicated thread.
package final class OneThread: TaskExecutor {
  package let queue: DispatchQueue

  package init(_ label: String) { queue = DispatchQueue(label: label, qos: .utility) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
