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
  private let origins: Set<String>
  private let identity: ClientIdentity
  private let sender: CredentialSender

  /// - Parameter base: The client's base URL: without origins of its own, a credential is for that one.
  init(
    _ authentication: Authentication?, base: URL?, identity: ClientIdentity, _ sender: CredentialSender
  ) {
    self.identity = identity
    self.sender = sender
    self.authentication = authentication
    origins = authentication?.origins(below: base) ?? []
    usage = authentication == nil ? .none : .everyRequest
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    guard let authentication, !request.options.isUnauthenticated else {
      return try await next(request, context)
    }
    guard !origins.isEmpty else { throw Self.originsMissing }
    guard origins.contains(request.address.originName) else {
      return try await next(request, context)
    }
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
