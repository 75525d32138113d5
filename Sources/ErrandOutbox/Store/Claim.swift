package import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The number of rows that a claim may take, in total and of each origin. A claim skips an origin that has no
/// capacity left, however many rows the origin has.
package struct ClaimBounds: Sendable, Hashable {
  /// The most rows in total.
  package var limit: Int
  /// The most rows of each of these origins; 0 for an origin that is skipped.
  package var capacities: [String: Int]
  /// The most rows of any other origin.
  package var perOther: Int
  /// The most rows of all other origins together.
  package var others: Int
  /// The number of counted attempts at which a row is moved to the dead letters instead of being claimed; nil
  /// for no limit.
  package var maxAttempts: Int?
  /// The base of the wait after the n-th attempt, for a row whose attempt ended with its owner or its lease:
  /// `backoff · 2ⁿ⁻¹`. Zero for no wait.
  package var backoff: Duration
  /// The longest of these waits.
  package var maxBackoff: Duration
  /// Rows that are due within this time are claimed, too, after the rows that are due. Holds of origins do
  /// not matter for them, because a row that failed is due only after its origin's hold. Only a
  /// `HandoverStore` does that.
  package var horizon: Duration = .zero
  /// The lanes that are skipped. Only a `HandoverStore` skips lanes.
  package var passedLanes: Set<ExactBytes> = []

  /// Creates bounds that ignore origins.
  package init(_ limit: Int) {
    self.limit = limit
    capacities = [:]
    perOther = .max
    others = .max
    backoff = .zero
    maxBackoff = .zero
  }
}

extension OutboxStore {
  /// Claims rows of any origin.
  package func claim(_ limit: Int, for lease: Duration) async throws -> Claim {
    try await claim(ClaimBounds(limit), for: lease)
  }
}

/// The capacity that a claim has left. Pure: every store takes rows through it, in the order in which they
/// are claimed.
package struct ClaimCapacity: Sendable {
  package enum Result: Sendable, Hashable {
    case taken
    /// The row's origin is held, or has no capacity left.
    case passedOver
    /// The row's origin has capacity, but the limit is reached.
    case isMore
  }

  private let bounds: ClaimBounds
  private let held: Set<String>
  private var taken: [String: Int] = [:]
  private var left: Int
  private var others: Int

  package init(_ bounds: ClaimBounds, held: Set<String>) {
    self.bounds = bounds
    self.held = held
    left = max(0, bounds.limit)
    others = bounds.others
  }

  /// Returns the number of further rows of this origin that may be taken.
  package func capacity(_ origin: String) -> Int {
    if held.contains(origin) { return 0 }
    if let most = bounds.capacities[origin] { return most - taken[origin, default: 0] }
    return min(bounds.perOther - taken[origin, default: 0], others)
  }

  /// True if origins that the bounds do not name may have capacity.
  package var hasRoomForOthers: Bool { others > 0 && bounds.perOther > 0 }

  /// The named origins that have capacity.
  package var names: [String] { bounds.capacities.keys.filter { capacity($0) > 0 } }

  /// Takes a row of this origin, if the origin and the limit have capacity for it.
  package mutating func take(_ origin: String) -> Result {
    guard capacity(origin) > 0 else { return .passedOver }
    guard left > 0 else { return .isMore }
    left -= 1
    taken[origin, default: 0] += 1
    if bounds.capacities[origin] == nil { others -= 1 }
    return .taken
  }
}

/// A claimed request, which the owner of the lease may send until the lease ends.
package struct ClaimedRow: Sendable, Hashable {
  package var row: OutboxRow
  package var content: Data
  /// Identifies this claim of the row.
  package var lease: Lease
  /// The time from the claim until the request expires, by the store's clock: the wall clock may have been
  /// set since the request was stored. Nil if the request does not expire.
  package var timeLeft: Duration?
  /// How long to wait before the request may be sent: zero unless it was claimed before it was due.
  package var wait = Duration.zero
  /// When the request expires, on the dispatcher's timeline.
  var end: Duration?

  package init(row: OutboxRow, content: Data, lease: Lease, timeLeft: Duration? = nil) {
    self.row = row
    self.content = content
    self.lease = lease
    self.timeLeft = timeLeft
  }
}

/// The right to send one request. The next claim of the row has another number.
package struct Lease: Sendable, Hashable {
  package var id: OutboxID
  package var number: Int64

  package init(id: OutboxID, number: Int64) {
    self.id = id
    self.number = number
  }
}

/// The result of a claim.
package struct Claim: Sendable, Hashable {
  package var rows: [ClaimedRow] = []
  /// The rows that the claim found to be expired.
  package var expired: [OutboxRow] = []
  /// The rows whose attempts other owners began and did not finish. Any owner may attempt them again.
  package var recovered: [OutboxRow] = []
  /// The rows that were moved to the dead letters, with a reason: their content is not the one that was
  /// stored, or they used up their attempts.
  package var deadLettered: [OutboxRow] = []
  /// The time until there may be more to claim: a row becomes due, or a lease or the hold of an origin ends.
  /// Zero if there is more now, within the bounds of the claim. Nil if there is nothing until a row is added
  /// or changed.
  package var next: Duration?
  /// The origins that are held.
  package var held: Set<String> = []

  package init() {}

  /// The rows that the claim changed and did not take, each once and in its present state: a recovered row
  /// may have expired in the same claim.
  var changed: [OutboxRow] {
    let over = expired + deadLettered
    guard !over.isEmpty else { return recovered }
    let ids = Set(over.map(\.id))
    return recovered.filter { !ids.contains($0.id) } + over
  }
}
