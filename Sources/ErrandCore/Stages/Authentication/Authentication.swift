#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The credential of a client's requests, and the origins that it is for.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.baseURL = URL(string: "https://api.example.com")
/// configuration.authentication = .bearer(token)
/// ```
///
/// The credential is sent to no other origin. If a redirect or an attempt interceptor leads from one of its
/// origins to another, a credential is made for the new origin.
///
/// If the credential can be refreshed (`CredentialSession`), a response with the status 401 starts a refresh.
/// There is one refresh, however many requests get a 401. Each of them is then sent once more, which does not
/// count as an attempt. Shared requests and cached responses are kept apart by identity: one user never gets
/// another user's response.
public struct Authentication: Sendable, CustomStringConvertible, CustomReflectable {
  let session: any AnyCredentialSession
  /// The canonical names of the credential's origins; nil for the origin of the client's base URL.
  let origins: Set<String>?
  private let kind: String

  /// - Parameter kind: Names the kind of authentication in descriptions.
  package init(_ session: any AnyCredentialSession, _ kind: String, at origins: [URL]?) {
    self.session = session
    self.kind = kind
    self.origins = origins.map { Set($0.compactMap { Origin($0)?.text }) }
  }

  /// Returns the canonical names of the credential's origins; an empty set if they are not known.
  func origins(below base: URL?) -> Set<String> {
    origins ?? base.flatMap(Origin.init).map { [$0.text] } ?? []
  }

  /// The kind of authentication, without the credential.
  public var description: String { kind }
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}
