#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Puts the client's credential on each attempt for the origins that it is for, and makes the attempt once more
/// when a server says that the credential is stale. Outside of the slot: no request waits with a slot in hand.
final class AuthenticationStage: Stage {
  let usage: StageUsage
  private let authentication: Authentication?
  private let origins: CredentialOrigins
  private let identity: ClientIdentity
  private let sender: CredentialSender

  /// - Parameters:
  ///   - base: The client's base URL: without origins of its own, a credential is for that one.
  ///   - isIntercepted: True if an interceptor before the stage may send a request elsewhere.
  ///   - interceptsAttempts: True if an interceptor behind the stage may.
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

  /// Returns false if the stage would pass the request on as it is.
  func concerns(_ request: Request) -> Bool {
    !request.options.isUnauthenticated
      && (origins.names.isEmpty || origins.contains(request.address.originName))
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    guard let authentication, concerns(request) else { return try await next(request, context) }
    guard !origins.names.isEmpty else { throw Self.originsMissing }
    return try await authentication.session.perform(
      request, context, at: origins, era: identity(context).era, next, sender)
  }

  var hasSession: Bool { authentication != nil }

  /// Learns what other processes have stored, before the identity of a call is asked for.
  func prepare(_ context: CallContext) async {
    guard let session = authentication?.session else { return }
    guard !session.isPrepared(on: sender.timeline) else { return }
    // A call that was made while one identity was signed in is not sent for the next.
    if session.isSignedIn { _ = identity(context) }
    try? await session.prepare(on: sender.timeline, unless: context.cancellation)
  }

  /// Returns when the identity is known, or none is stored.
  /// - Throws: The error of the credential's store.
  func prepare() async throws {
    guard let session = authentication?.session, !session.isPrepared(on: sender.timeline) else { return }
    try await session.prepare(on: sender.timeline, unless: nil)
  }

  /// Returns the digest of the name of the identity that a request is sent for; nil if it is sent without a credential,
  /// if the identity has no name, or if nobody is signed in.
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
        "it is not known which origins the client's credential is for: give Authentication its origins, "
        + "or the client a base URL",
      reachedServer: false)
  }
}
