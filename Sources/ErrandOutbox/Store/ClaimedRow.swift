#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A request that this store's owner may try, until its lease ends.
public struct ClaimedRow: Sendable, Hashable {
  public var row: OutboxRow
  public var content: Data
  /// Which claim this is.
  public var lease: Lease

  public init(row: OutboxRow, content: Data, lease: Lease) {
    self.row = row
    self.content = content
    self.lease = lease
  }
}

/// The right to try one request. Whoever claims it next, after this has ended, has another number.
public struct Lease: Sendable, Hashable {
  public var id: OutboxID
  public var number: Int64

  public init(id: OutboxID, number: Int64) {
    self.id = id
    self.number = number
  }
}

/// What a claim brought.
public struct Claim: Sendable, Hashable {
  public var rows: [ClaimedRow] = []
  /// What was found to be over its time.
  public var expired: [OutboxRow] = []
  /// What others began to try and did not end; it may be tried again, by anyone.
  public var recovered: [OutboxRow] = []
  /// What could not be claimed because its content is not what was stored, or because it had all its attempts. It is set
  /// aside, with a reason.
  public var setAside: [OutboxRow] = []
  /// How long until there may be more to do: a time that is due, a lease or the hold of an origin that ends. Nil for not
  /// before something is added or changed. Zero if there is more now, within the bounds of the claim.
  public var next: Duration?
  /// The origins that are held.
  public var held: Set<String> = []

  public init() {}

  /// The rows that it changed and did not claim, each once and as it is now: what was recovered may have expired at once.
  var changed: [OutboxRow] {
    let over = expired + setAside
    guard !over.isEmpty else { return recovered }
    let ids = Set(over.map(\.id))
    return recovered.filter { !ids.contains($0.id) } + over
  }
}
