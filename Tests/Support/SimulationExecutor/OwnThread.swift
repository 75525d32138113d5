import Foundation

/// Runs long work on a dedicated thread, so that it does not block the shared ones.
public enum OwnThread {
  public static func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        #if os(Linux)
          // This thread alone. Concurrent tests use real sockets, and are sensitive to delays.
          setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        #endif
        continuation.resume(returning: work())
      }
    }
  }
}
