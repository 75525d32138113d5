#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The identity of a credential: a user, or a program of its own.
package struct CredentialIdentity: Sendable {
  /// Tells identities apart for sharing and caching.
  package let text: String
  /// A digest of the name that the app gave, by which requests of an outbox are kept for it; nil without a name.
  package let digest: String?

  package init(named name: String) {
    text = name
    digest = SHA256Digest(hashing: Data("errand identity \(name)".utf8)).description
  }

  /// - Parameter text: The same for as long as the credential is known. Default: a new one.
  package init(withoutName text: String = UUID().uuidString) {
    self.text = text
    digest = nil
  }
}

extension CredentialIdentity {
  /// Checks that a request may be sent for this identity: one of an outbox may be kept for another.
  /// - Throws: `RequestError` (`otherIdentity`), if not.
  package func check(_ request: Request) throws(RequestError) {
    guard let kept = request.options.identityDigest, kept != digest else { return }
    throw RequestError(
      .otherIdentity,
      message: "the request is kept for the identity that was signed in when it was stored, and "
        + "\(digest == nil ? "one without a name" : "another") is signed in now: it is sent when that one signs in again",
      reachedServer: false)
  }
}

/// The identity that a client's requests are sent for: an app's own (`ClientConfiguration.identity`), the one of the
/// credential, or both.
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
    // A length keeps the two apart, and one name alone does not begin as two do.
    let (name, owner) = (own?(), identity.text ?? "")
    if name != nil || owner.hasPrefix(Self.mark) {
      identity.text = "\(Self.mark)\(name.map { "\($0.utf8.count) \($0)" } ?? "-") \(owner)"
    }
    return identity
  }

  /// The era of the credential's identity.
  var era: Int { session?.identity.era ?? 0 }

  /// The identity of a call: that of the time when it was asked for first, whatever changes while the call waits.
  func callAsFunction(_ context: CallContext) -> CallIdentity {
    own == nil && session == nil ? CallIdentity() : context.identity { present }
  }
}
