import Foundation

/// Runs work that takes long on a thread of its own, so that it keeps none of the shared ones.
public enum OwnThread {
  public static func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        #if os(Linux)
          // This thread's alone. Tests beside it talk to real sockets, and mind being late.
          setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        #endif
        continuation.resume(returning: work())
      }
    }
  }
}
