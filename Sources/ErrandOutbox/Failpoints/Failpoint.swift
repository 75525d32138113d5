import ErrandCore
import Synchronization

/// A place in the outbox's code at which crash runs end the process. Outside debug builds it has no effect.
package enum Failpoint: String, Sendable, CaseIterable {
  // Opening the store.
  case beforeMigration, duringMigration, afterMigration
  // A transaction.
  case beforeBegin, afterBegin
  case beforeOperation, afterOperation
  case beforeCommit, afterCommit
  case beforeCheckpoint, afterCheckpoint
  // Writing a body into a file.
  case beforeFileWrite, afterFileWrite, afterFlush, afterFileMove, afterFolderFlush, afterFileCopy
  // An attempt.
  case beforeSend, afterUploadKept, afterResponse, beforeRecord, afterRecord
  case beforeFileRemoval, afterFileRemoval
  // Sweeping files that other processes left behind.
  case beforeSweep, afterSweep

  /// Lets threads pass failpoints without taking the lock while no handler is set.
  private static let isWatched = Atomic(false)
  private static let handler = Locked<(@Sendable (Failpoint) -> Void)?>(nil)

  /// Sets the handler of all failpoints.
  /// - Parameter handler: Called at each failpoint, on the thread that passes it; nil to remove the handler.
  package static func watch(_ handler: (@Sendable (Failpoint) -> Void)?) {
    Self.handler.withLock { $0 = handler }
    isWatched.store(handler != nil, ordering: .releasing)
  }

  @inlinable
  @inline(__always)
  package static func hit(_ place: Failpoint) {
    #if ERRAND_FAILPOINTS
      tell(place)
    #endif
  }

  @usableFromInline
  package static func tell(_ place: Failpoint) {
    guard isWatched.load(ordering: .acquiring) else { return }
    let handler = handler.withLock { $0 }
    handler?(place)
  }
}
