/// Tells which of those who share an outbox's file are still there.
package protocol OwnerRegistry: Sendable {
  /// What this owner's claims are marked with; no other ever has the same.
  var name: String { get }

  /// False only if it is certain that this owner is gone.
  func isAlive(_ owner: String) -> Bool

  /// From now on this owner is gone.
  func leave()
}
