import Dispatch
package import Testing

/// Runs long computations one after the other on a queue of their own. The shared threads are few, and tests
/// that use sockets are sensitive to delays.
package struct ComputesLong: TestTrait, SuiteTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(OwnQueue.shared) { try await function() }
  }

  private final class OwnQueue: TaskExecutor {
    static let shared = OwnQueue()

    private let queue = DispatchQueue(label: "errand.tests.computes", qos: .utility)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}

extension Trait where Self == ComputesLong {
  package static var computesLong: Self { Self() }
}
