#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

  /// Reads the changes of other processes before the identity of a call is looked up.
  func prepare(_ context: CallContext) async {
    guard let session = authentication?.session else { return }
    guard !session.isPrepared(on: sender.timeline) else { return }
    // Looks the call's identity up first: a call that was made for one identity is not sent for the next.
    if session.isSignedIn { _ = identity(context) }
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
