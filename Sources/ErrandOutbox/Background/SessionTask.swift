/// A task of a background session, as the session lists it.
package struct SessionTask: Sendable, Hashable {
  /// The progress of a task.
  package enum Progress: Int, Sendable, Hashable, Comparable {
    /// The task was created, and never resumed.
    case suspended
    /// The task was resumed, and has not sent anything of its request yet.
    case waiting
    /// The task is sending its request, or has sent it.
    case begun
    /// The task has ended, and the session is reporting its end.
    case ended

    package static func < (left: Progress, right: Progress) -> Bool { left.rawValue < right.rawValue }
  }

  /// The number of the task, unique within its session.
  package var number: Int
  /// The attempt that the task makes; nil if the task's label is not that of an attempt.
  package var lease: Lease?
  /// The progress of the task.
  package var progress: Progress

  /// Creates the description of a task.
  package init(number: Int, lease: Lease?, progress: Progress) {
    self.number = number
    self.lease = lease
    self.progress = progress
  }
}

/// The end of an attempt that was handed over to a background session.
enum HandedEnd: Sendable, Hashable {
  /// There is a response or an error, which is handled like that of any attempt.
  case finished
  /// The task was cancelled.
  case cancelled(hasBegun: Bool)
  /// The session has no such task, and has not reported its end.
  case lost
}

extension Lease {
  /// The label of a task for this attempt. It outlives the process.
  package var label: String { "\(number) \(id.rawValue)" }

  /// Reads the label of a task; nil if the label was not made from a lease.
  package init?(label: String) {
    let parts = label.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int64(parts[0]), !parts[1].isEmpty else { return nil }
    self.init(id: OutboxID(rawValue: String(parts[1])), number: number)
  }
}
