/// The identity that a call is made for.
package struct CallIdentity: Sendable {
  /// Distinguishes identities for sharing, caching and cookies. Nil is an identity as well.
  package var text: String?
  /// The part of the identity that comes from the credential; `CredentialSession.signOut(clearingCache:)`
  /// removes its responses.
  package var owner: String?
  /// Grows with each change of the credential's identity and each sign-out. A call belongs to one era.
  package var era = 0

  package init(text: String? = nil) { self.text = text }

  package init(owner: String, era: Int = 0) {
    text = owner
    self.owner = owner
    self.era = era
  }
}
