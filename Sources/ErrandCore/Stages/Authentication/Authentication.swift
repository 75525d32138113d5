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
/// No other origin is sent the credential. Where a redirect or an attempt interceptor leads from one of its origins to
/// another, it is made for that one.
///
/// Where the credential can be refreshed (`CredentialSession`), a response with the status 401 has it refreshed,
/// once, however many requests meet it; each of them is then sent once more, which does not count as an attempt.
/// The identity is part of what is compared when requests are shared and responses are cached: one user's response
/// is never given to another.
public struct Authentication: Sendable, CustomStringConvertible, CustomReflectable {
  let session: any AnyCredentialSession
  /// The canonical names of the origins that the credential is for; nil for that of the client's base URL.
  let origins: Set<String>?
  private let kind: String

  /// - Parameter kind: Names the kind of authentication in descriptions.
  package init(_ session: any AnyCredentialSession, _ kind: String, at origins: [URL]?) {
    self.session = session
    self.kind = kind
    self.origins = origins.map { Set($0.compactMap { Origin($0)?.text }) }
  }

  /// Returns the canonical names of the origins that the credential is for; none if that is not known.
  func origins(below base: URL?) -> Set<String> {
    origins ?? base.flatMap(Origin.init).map { [$0.text] } ?? []
  }

  /// The kind of authentication. Shows nothing of the credential.
  public var description: String { kind }
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}
