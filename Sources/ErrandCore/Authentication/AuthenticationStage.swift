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
  /// Few, so comparing costs less than hashing.
  private let origins: [String]
  private let identity: ClientIdentity
  private let sender: CredentialSender

  /// - Parameters:
  ///   - base: The client's base URL: without origins of its own, a credential is for that one.
  ///   - isIntercepted: True if an interceptor before the stage may send a request elsewhere.
  init(
    _ authentication: Authentication?, base: URL?, identity: ClientIdentity, isIntercepted: Bool,
    _ sender: CredentialSender
  ) {
    self.identity = identity
    self.sender = sender
    self.authentication = authentication
    origins = Array(authentication?.origins(below: base) ?? [])
    usage = authentication == nil ? .none : isIntercepted ? .everyRequest : .requestsWithCredential
  }

  /// Returns false if the stage would pass the request on as it is.
  func concerns(_ request: Request) -> Bool {
    !request.options.isUnauthenticated
      && (origins.isEmpty || origins.contains(request.address.originName))
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    guard let authentication, concerns(request) else { return try await next(request, context) }
    guard !origins.isEmpty else { throw Self.originsMissing }
    return try await authentication.session.perform(
      request, context, era: identity(context).era, next, sender)
  }

  /// Returns the digest of the name of the identity that a request is sent for; nil if it is sent without a credential,
  /// if the identity has no name, or if nobody is signed in.
  func identityDigest(of request: Request) async throws -> String? {
    guard let authentication, !request.options.isUnauthenticated,
      origins.contains(request.address.originName)
    else { return nil }
    return try await authentication.session.identityDigest()
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
