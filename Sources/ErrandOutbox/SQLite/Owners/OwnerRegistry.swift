/// Tells which of those who share an outbox's file are still there.
package protocol OwnerRegistry: Sendable {
  /// What this owner's claims are marked with; no other ever has the same.
  var name: String { get }

  /// False only if it is certain that this owner is gone.
  func isAlive(_ owner: String) -> Bool

  /// From now on this owner is gone.
  func leave()

  /// Notes that what has these leases is about to be sent by this owner. Outlives the process.
  func begin(_ leases: [Int64])

  /// These need not be known any more.
  func end(_ leases: [Int64])

  /// Whether an owner that may be gone had begun to send what has this lease; nil if nobody knows.
  func hasBegun(_ lease: Int64, _ owner: String) -> Bool?

  /// Of owners that are gone, none but these has claims left.
  func forgetBegun(but owners: Set<String>)

  /// This owner has no claims left, and is about to leave.
  func giveBackAll()
}

extension OwnerRegistry {
  package func begin(_ leases: [Int64]) {}
  package func end(_ leases: [Int64]) {}
  package func hasBegun(_ lease: Int64, _ owner: String) -> Bool? { nil }
  package func forgetBegun(but owners: Set<String>) {}
  package func giveBackAll() {}
}
