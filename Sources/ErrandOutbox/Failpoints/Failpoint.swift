package import ErrandCore

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

  /// Is called at each place that is passed, on the thread that passes it.
  package static let handler = Locked<(@Sendable (Failpoint) -> Void)?>(nil)

  @inlinable
  @inline(__always)
  package static func hit(_ place: Failpoint) {
    #if ERRAND_FAILPOINTS
      tell(place)
    #endif
  }

  @usableFromInline
  package static func tell(_ place: Failpoint) {
    let handler = handler.withLock { $0 }
    handler?(place)
  }
}
