import ErrandCore
import Synchronization

/// A place in the outbox's work at which crash tests end the process. Outside debug builds there are none.
package enum Failpoint: String, Sendable, CaseIterable {
  // Opening the store.
  case beforeMigration, duringMigration, afterMigration
  // A transaction.
  case beforeBegin, afterBegin
  case beforeOperation, afterOperation
  case beforeCommit, afterCommit
  case beforeCheckpoint, afterCheckpoint
  // A body that goes into a file.
  case beforeFileWrite, afterFileWrite, afterFlush, afterFileMove, afterFolderFlush, afterFileCopy
  // A try.
  case beforeSend, afterAnswer, beforeRecord, afterRecord
  case beforeFileRemoval, afterFileRemoval
  // Sweeping what others left.
  case beforeSweep, afterSweep

  /// So that those who pass do not meet at a lock.
  private static let isWatched = Atomic(false)
  private static let handler = Locked<(@Sendable (Failpoint) -> Void)?>(nil)

  /// - Parameter handler: Is called at each place that is passed, on the thread that passes it.
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
