import Foundation

/// Runs work that blocks or takes long on a dedicated thread, so that it does not block the shared ones.
package enum OwnThread {
  package static func run<Success: Sendable>(
    _ work: @escaping @Sendable () throws -> Success
  ) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
  }
}
