/// Tells which owners of an outbox's file are still alive. Each open store is an owner.
package protocol LivenessRegistry: Sendable {
  /// The name of this owner, which marks its claims. It is never used again.
  var name: String { get }

  /// Returns false only if it is certain that the owner is gone.
  func isAlive(_ owner: String) -> Bool

  /// Marks this owner as gone, so that others can see it.
  func leave()

  /// Notes that this owner is about to send the requests with these leases. The note outlives the process.
  func begin(_ leases: [Int64])

  /// Forgets that these leases were begun.
  func end(_ leases: [Int64])

  /// Returns whether an owner had begun to send the request with this lease; nil if that is not known.
  func hasBegun(_ lease: Int64, _ owner: String) -> Bool?

  /// Removes all traces of this owner. Must be called before `leave` if this owner has no claims: then others
  /// need not see that it is gone.
  func leaveNothing()

  /// Removes what owners that are gone have left, except for these owners, which still have claims: others
  /// must see that they are gone.
  func tidy(keeping owners: Set<String>)
}

extension LivenessRegistry {
  package func begin(_ leases: [Int64]) {}
  package func end(_ leases: [Int64]) {}
  package func hasBegun(_ lease: Int64, _ owner: String) -> Bool? { nil }
  package func leaveNothing() {}
  package func tidy(keeping owners: Set<String>) {}
}
