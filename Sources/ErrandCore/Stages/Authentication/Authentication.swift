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

/// A user and a password as Basic authentication sends them (RFC 7617, section 2).
package enum BasicCredential {
  /// Returns the reason why the user name and the password cannot be sent; nil if they can.
  package static func problem(
    user: some Sequence<UInt8>, password: some Sequence<UInt8>
  ) -> String? {
    if user.contains(UInt8(ascii: ":")) {
      return
        "the user name for Basic authentication has a colon, so the server would take the text after it for a part "
        + "of the password: use a user name without a colon"
    }
    if user.contains(where: isControl) || password.contains(where: isControl) {
      return
        "the user name or the password for Basic authentication has a control character, such as a line break: "
        + "remove it"
    }
    return nil
  }

  private static func isControl(_ byte: UInt8) -> Bool { byte < 32 || byte == 127 }
}

/// Adds the client's credential to each attempt at one of its origins, and repeats the attempt when a server
/// says that the credential is stale. It runs before a slot is taken, so no request holds a slot while it
/// waits here.
final class AuthenticationStage: Stage {
  let usage: StageUsage
  private let authentication: Authentication?
  private let origins: CredentialOrigins
  private let identity: ClientIdentity
  private let sender: CredentialSender

  /// - Parameters:
  ///   - base: The client's base URL. A credential without explicit origins is for the origin of this URL.
  ///   - isIntercepted: True if an interceptor before the stage may change a request's origin.
  ///   - interceptsAttempts: True if an interceptor behind the stage may change it.
  init(
    _ authentication: Authentication?, base: URL?, identity: ClientIdentity, isIntercepted: Bool,
    interceptsAttempts: Bool, _ sender: CredentialSender
  ) {
    self.identity = identity
    self.sender = sender
    self.authentication = authentication
    origins = CredentialOrigins(
      names: Array(authentication?.origins(below: base) ?? []), mayMove: interceptsAttempts)
    usage = authentication == nil ? .none : isIntercepted ? .everyRequest : .requestsWithCredential
  }

  /// Returns false if the stage would pass the request on unchanged.
  func concerns(_ request: Request) -> Bool {
    !request.options.isUnauthenticated
      && (origins.names.isEmpty || origins.contains(request.address.originName))
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    guard let authentication, concerns(request) else { return try await next(request, context) }
    guard !origins.names.isEmpty else { throw Self.originsMissing }
    return try await authentication.session.perform(
      request, CredentialCall(context, at: origins, era: identity(context).era, next, sender))
  }

  var hasSession: Bool { authentication != nil }

  /// Returns true if the credential is for all of these origins.
  func isFor(_ names: [String]) -> Bool { names.allSatisfy(origins.contains) }

  /// Reads the changes of other processes before the identity of a call is looked up.
  func prepare(_ context: CallContext) async {
    guard let session = authentication?.session else { return }
    guard !session.isPrepared(on: sender.timeline) else { return }
    // Looks the call's identity up first: a call that was made for one identity is not sent for the next.
    if session.hasKnownIdentity { _ = identity(context) }
    try? await session.prepare(on: sender.timeline, unless: context.cancellation)
  }

  /// Reads the store if it may have changed, so that the identity is known.
  /// - Throws: The error of the credential's store.
  func prepare() async throws {
    guard let session = authentication?.session, !session.isPrepared(on: sender.timeline) else { return }
    try await session.prepare(on: sender.timeline, unless: nil)
  }

  /// Returns the digest of the name of the identity that a request is sent for. It is nil if the request is
  /// sent without a credential, the identity has no name, or no identity is signed in.
  func identityDigest(of request: Request) async throws -> String? {
    guard let authentication, !request.options.isUnauthenticated,
      origins.contains(request.address.originName)
    else { return nil }
    return try await authentication.session.identityDigest(on: sender.timeline)
  }

  private static var originsMissing: RequestError {
    RequestError(
      .invalidRequest,
      message:
        "the client's credential has no origins: give Authentication its origins, "
        + "or the client a base URL",
      reachedServer: false)
  }
}
