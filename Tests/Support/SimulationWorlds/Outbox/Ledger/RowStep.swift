import ErrandOutbox
import ErrandOutboxSQLite

/// A change of a row by the store. Steps are in the order of the transactions.
struct RowStep: Sendable {
  enum Kind: Sendable, Hashable {
    case added
    /// The lease ends at this time, in ticks.
    case claimed(leaseEnd: Int64)
    case renewed(leaseEnd: Int64)
    case recovered
    case failed(next: Duration)
    case rejected
    /// The content is missing, or differs from the stored one.
    case damaged
    /// The row had all its attempts, and the outcome of the last one is unknown.
    case exhausted
    case returned
    case delivered
    case expired
    case retried
    /// A row that failed because of the network may be attempted at once.
    case rescheduled
    case dropped
    /// The row is forgotten.
    case pruned
  }

  /// The index among all steps.
  let index: Int
  let kind: Kind
  let row: OutboxID
  /// The process that made the change.
  let owner: String
  let time: Duration
  /// The time that the store was given, a little before.
  let stored: StoreTime
  /// The machine's ticks when the change was made.
  let ticks: Int64
  /// The holder of the lease that this step ends, if it was alive.
  var livingHolder: String?
  /// True if everything, or the row's lane, is paused.
  var isPaused = false

  /// The state after the step; nil if it does not change the state.
  var state: OutboxState? {
    switch kind {
    case .added, .recovered, .failed, .returned, .retried: .stored
    case .claimed: .attempting
    case .delivered: .delivered
    case .rejected, .damaged, .exhausted: .deadLettered
    case .expired: .expired
    case .dropped: .dropped
    case .renewed, .rescheduled, .pruned: nil
    }
  }
}

extension RowStep: CustomStringConvertible {
  var description: String { "\(row) \(kind) by \(owner) at \(time)" }
}
