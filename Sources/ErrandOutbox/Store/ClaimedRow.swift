#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A request that the store's owner may send until its lease ends.
public struct ClaimedRow: Sendable, Hashable {
  public var row: OutboxRow
  public var content: Data
  /// Identifies this claim of the row.
  public var lease: Lease

  public init(row: OutboxRow, content: Data, lease: Lease) {
    self.row = row
    self.content = content
    self.lease = lease
  }
}

/// The right to send one request. The next claim of the row has another number.
public struct Lease: Sendable, Hashable {
  public var id: OutboxID
  public var number: Int64

  public init(id: OutboxID, number: Int64) {
    self.id = id
    self.number = number
  }
}

/// The result of a claim.
public struct Claim: Sendable, Hashable {
  public var rows: [ClaimedRow] = []
  /// The rows that were found to be expired.
  public var expired: [OutboxRow] = []
  /// The rows that other owners began to attempt and did not finish. Any owner may attempt them again.
  public var recovered: [OutboxRow] = []
  /// The rows that were moved to the dead letters, with a reason, because their content is not what was
  /// stored or because they had all their attempts.
  public var deadLettered: [OutboxRow] = []
  /// How long until there may be more to claim: until a row is due, or a lease or the hold of an origin ends.
  /// Nil for not before something is added or changed. Zero if there is more now, within the bounds of the
  /// claim.
  public var next: Duration?
  /// The origins that are held.
  public var held: Set<String> = []

  public init() {}

  /// The rows that the claim changed and did not take, each once and as it is now: a recovered row may have
  /// expired at once.
  var changed: [OutboxRow] {
    let over = expired + deadLettered
    guard !over.isEmpty else { return recovered }
    let ids = Set(over.map(\.id))
    return recovered.filter { !ids.contains($0.id) } + over
  }
}
