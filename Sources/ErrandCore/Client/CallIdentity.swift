/// The identity that a call is made for.
package struct CallIdentity: Sendable {
  /// Tells identities apart for sharing, caching and cookies; nil is an identity, too.
  package var text: String?
  /// The part of the credential: one of those that `CredentialSession.signOut(clearingCache:)` clears.
  package var owner: String?
  /// Grows each time the credential's identity changes or signs out: a call is part of one era.
  package var era = 0

  package init(text: String? = nil) { self.text = text }

  package init(owner: String, era: Int = 0) {
    text = owner
    self.owner = owner
    self.era = era
  }
}
