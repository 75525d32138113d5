/// A task of a background session, as the session lists it.
public struct SessionTask: Sendable, Hashable {
  /// How far a task has come.
  public enum Progress: Int, Sendable, Hashable, Comparable {
    /// It was made, and never resumed.
    case suspended
    /// It was resumed, and nothing of its request was sent yet.
    case waiting
    /// Its request is being sent, or was.
    case begun
    /// It has ended, and its end is being told.
    case ended

    public static func < (left: Progress, right: Progress) -> Bool { left.rawValue < right.rawValue }
  }

  /// Names the task within its session.
  public var number: Int
  /// The attempt that the task makes; nil if its label names none.
  public var lease: Lease?
  public var progress: Progress

  public init(number: Int, lease: Lease?, progress: Progress) {
    self.number = number
    self.lease = lease
    self.progress = progress
  }
}

/// The end of an attempt that was handed over to a background session.
enum HandedEnd: Sendable, Hashable {
  /// There is a response or an error: it is judged as after any attempt.
  case finished
  /// The task was cancelled.
  case cancelled(hasBegun: Bool)
  /// The session has no such task, and has told no end of it.
  case lost
}

extension Lease {
  /// The attempt as the label of a task, which outlives the process.
  public var label: String { "\(number) \(id.rawValue)" }

  /// Reads the label of a task; nil if it is none.
  public init?(label: String) {
    let parts = label.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int64(parts[0]), !parts[1].isEmpty else { return nil }
    self.init(id: OutboxID(rawValue: String(parts[1])), number: number)
  }
}
