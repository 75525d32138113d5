/// Tells which of those who share an outbox's file are still there.
package protocol OwnerRegistry: Sendable {
  /// What this owner's claims are marked with; no other ever has the same.
  var name: String { get }

  /// False only if it is certain that this owner is gone.
  func isAlive(_ owner: String) -> Bool

  /// From now on this owner is gone, and others may see that.
  func leave()

  /// Notes that what has these leases is about to be sent by this owner. Outlives the process.
  func begin(_ leases: [Int64])

  /// These need not be known any more.
  func end(_ leases: [Int64])

  /// Whether an owner that may be gone had begun to send what has this lease; nil if nobody knows.
  func hasBegun(_ lease: Int64, _ owner: String) -> Bool?

  /// Has to be called before `leave` when this owner has no claims: then nobody needs to see that it was there.
  func leaveNothing()

  /// Removes what owners have left that are gone, but for those that still have claims: their end has to be seen.
  func tidy(keeping owners: Set<String>)
}

extension OwnerRegistry {
  package func begin(_ leases: [Int64]) {}
  package func end(_ leases: [Int64]) {}
  package func hasBegun(_ lease: Int64, _ owner: String) -> Bool? { nil }
  package func leaveNothing() {}
  package func tidy(keeping owners: Set<String>) {}
}
