/// The credential that a request carries, its origin, and the means to remove it or to make it for another
/// origin. Two values are equal only if they are the same object.
package final class AttachedCredential: Sendable, Hashable {
  /// The canonical name of the origin that the credential was made for.
  let origin: String
  /// The origins that the credential may be made for.
  private let origins: [String]
  // These two are compared only if the request's origin changes, which is rare.
  private let bare: Request
  private let request: Request
  private let attach: @Sendable (Request) async throws -> Request
  /// Makes the credential for another target at the same origin; nil if one credential suits every target.
  let renew: (@Sendable (inout Request) -> Void)?

  /// - Parameters:
  ///   - bare: The request without the credential.
  ///   - request: The same request with the credential.
  ///   - origins: The origins that the credential may be made for.
  ///   - attach: Returns another request with a credential for its target, which is at one of these origins.
  package init(
    _ bare: Request, _ request: Request, at origins: [String],
    renew: (@Sendable (inout Request) -> Void)? = nil,
    attach: @escaping @Sendable (Request) async throws -> Request
  ) {
    origin = request.address.originName
    self.origins = origins
    self.bare = bare
    self.request = request
    self.renew = renew
    self.attach = attach
  }

  /// True if the authenticator has changed the body.
  var isInBody: Bool { request.body != bare.body }

  /// True if the credential is for another origin than the one that the request leads to.
  func isForeign(to request: Request) -> Bool { origin != request.address.originName }

  /// True if the credential may be made for the request's origin.
  func mayMove(to request: Request) -> Bool { origins.contains(request.address.originName) }

  /// Returns the request of a redirect to one of the origins, with a credential for its target. The redirect
  /// has already removed the old credential.
  /// - Throws: The authenticator's error.
  func redirected(_ request: Request) async throws -> Request {
    var request = request
    request.options.credential = nil
    return try await attach(request)
  }

  /// Returns a request that interceptors have moved to another origin, without its present credential. It
  /// gets a new one if one may be made for its target.
  /// - Throws: `RequestError` (`invalidRequest`), if the credential cannot be removed; the authenticator's
  ///   error.
  func moved(_ request: Request) async throws -> Request {
    if self.request.address != bare.address { throw inseparable("URL", request) }
    if !request.body.isNone, isInBody { throw inseparable("body", request) }
    let fields = self.request.fields.filter { !bare.fields.contains($0) }
    var request = request
    request.options.credential = nil
    // A request gets no new credential if an interceptor has removed the old one.
    let hasAll = fields.allSatisfy(request.fields.contains)
    request.fields.remove { fields.contains($0) }
    return hasAll && mayMove(to: request) ? try await attach(request) : request
  }

  private func inseparable(_ part: String, _ request: Request) -> RequestError {
    RequestError(
      .invalidRequest,
      message:
        "the authenticator put its credential for \(origin) into the request's \(part), and an attempt "
        + "interceptor then changed the origin to \(request.address.originName): change the origin in an "
        + "interceptor around the call, or have the authenticator use header fields only",
      reachedServer: false)
  }

  package static func == (left: AttachedCredential, right: AttachedCredential) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
