import Dispatch
package import Testing

/// Runs long computations one after another on a dedicated thread. The shared threads are few, and tests that
/// use sockets are sensitive to delays.
package struct ComputesLong: TestTrait, SuiteTrait, TestScoping {
  private static let thread = OneThread("errand.tests.computes")

  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Self.thread) { try await function() }
  }
}

extension Trait where Self == ComputesLong {
  package static var computesLong: Self { Self() }
}
