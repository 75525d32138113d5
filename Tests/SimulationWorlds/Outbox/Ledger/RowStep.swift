import ErrandOutbox

/// Something that has happened to a row, as the store did it: steps are in the order of the transactions.
struct RowStep: Sendable {
  enum Kind: Sendable, Hashable {
    case added
    /// Until this time, in ticks.
    case claimed(leaseEnd: Int64)
    case renewed(leaseEnd: Int64)
    case recovered
    case failed(next: Duration)
    case refused
    /// What it consists of is missing, or not what was stored.
    case damaged
    /// It had all its attempts, and nobody knows how the last one ended.
    case exhausted
    case returned
    case delivered
    case expired
    case retried
    /// What failed for want of a network may be tried at once.
    case hastened
    case dropped
    /// It is forgotten.
    case pruned
  }

  /// Its place among all steps.
  let index: Int
  let kind: Kind
  let row: OutboxID
  /// The process that did it.
  let owner: String
  let time: Duration
  /// The time that the store was told: a little before.
  let stored: StoreTime
  /// The machine's ticks when it was done.
  let ticks: Int64
  /// The holder of the lease that this ends, if it was alive.
  var livingHolder: String?
  /// True if nothing in its lane may be claimed now, or nothing at all.
  var isPaused = false

  /// The state that it leads to; nil if it does not change that.
  var state: OutboxState? {
    switch kind {
    case .added, .recovered, .failed, .returned, .retried: .stored
    case .claimed: .trying
    case .delivered: .delivered
    case .refused, .damaged, .exhausted: .setAside
    case .expired: .expired
    case .dropped: .dropped
    case .renewed, .hastened, .pruned: nil
    }
  }
}

extension RowStep: CustomStringConvertible {
  var description: String { "\(row) \(kind) by \(owner) at \(time)" }
}
