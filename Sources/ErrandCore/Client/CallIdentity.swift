import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

/// The identity of a credential: a user or a program.
package struct CredentialIdentity: Sendable {
  /// Tells identities apart for sharing and caching.
  package let text: String
  /// A digest of the app's name for the identity, by which an outbox binds requests to it; nil without a
  /// name.
  package let digest: String?

  package init(named name: String) {
    text = name
    digest = SHA256Digest(hashing: Data("errand identity \(name)".utf8)).description
  }

  /// - Parameter text: A text that stays the same for as long as the credential is known. Default: a new
  ///   UUID.
  package init(withoutName text: String = UUID().uuidString) {
    self.text = text
    digest = nil
  }
}

extension CredentialIdentity {
  /// Checks that a request may be sent for this identity. An outbox may have stored it for another one.
  /// - Throws: `RequestError` (`otherIdentity`), if it may not be sent.
  package func check(_ request: Request) throws(RequestError) {
    guard let kept = request.options.identityDigest, kept != digest else { return }
    throw RequestError(
      .otherIdentity,
      message: "the request is for the identity that was signed in when it was stored, and "
        + "\(digest == nil ? "one without a name" : "another") is signed in now: it is sent when the first signs in again",
      reachedServer: false)
  }
}

/// The identity that a client's requests are sent for: the app's (`ClientConfiguration.identity`), the
/// credential's, or both.
struct ClientIdentity: Sendable {
  private let own: (@Sendable () -> String?)?
  private let session: (any AnyCredentialSession)?
  private static let mark = "two: "

  init(_ own: (@Sendable () -> String?)?, _ session: (any AnyCredentialSession)?) {
    self.own = own
    self.session = session
  }

  /// The identity of calls that begin now.
  var present: CallIdentity {
    guard let session else { return CallIdentity(text: own?()) }
    var identity = session.identity
    // The length separates the two names, and the mark tells a pair from a single name.
    let (name, owner) = (own?(), identity.text ?? "")
    if name != nil || owner.hasPrefix(Self.mark) {
      identity.text = "\(Self.mark)\(name.map { "\($0.utf8.count) \($0)" } ?? "-") \(owner)"
    }
    return identity
  }

  /// The era of the credential's identity.
  var era: Int { session?.identity.era ?? 0 }

  /// Returns the identity of a call. It is fixed when it is first looked up, whatever changes while the call
  /// waits.
  func callAsFunction(_ context: CallContext) -> CallIdentity {
    own == nil && session == nil ? CallIdentity() : context.identity { present }
  }
}
