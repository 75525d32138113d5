/// The credential that a request has been given: the origin that it was made for, and how it is taken off again and made
/// for another. Two are equal only if they are the same object.
package final class AttachedCredential: Sendable, Hashable {
  /// The canonical name of the origin that it was made for.
  let origin: String
  /// The origins that it may be made for.
  private let origins: [String]
  // Compared only if the request leads elsewhere, which is rare.
  private let bare: Request
  private let request: Request
  private let attach: @Sendable (Request) async throws -> Request
  /// Makes it for another target within its origin; nil if it is for every target.
  let renew: (@Sendable (inout Request) -> Void)?

  /// - Parameters:
  ///   - bare: The request without the credential.
  ///   - request: The same request with it.
  ///   - origins: The origins that the credential may be made for.
  ///   - attach: Returns another request with the credential for its target, which is at one of these origins.
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

  /// Returns the request that a redirect to one of the origins asks for, with the credential for its target. The redirect
  /// has taken the other off.
  /// - Throws: The authenticator's error.
  func redirected(_ request: Request) async throws -> Request {
    var request = request
    request.options.credential = nil
    return try await attach(request)
  }

  /// Returns a request that interceptors have led to another origin, without the credential that it has, and with a new
  /// one if that may be made for its target.
  /// - Throws: `RequestError` (`invalidRequest`), if the credential cannot be taken off; the authenticator's error.
  func moved(_ request: Request) async throws -> Request {
    if self.request.address != bare.address { throw inseparable("URL", request) }
    if !request.body.isNone, isInBody { throw inseparable("body", request) }
    let fields = self.request.fields.filter { !bare.fields.contains($0) }
    var request = request
    request.options.credential = nil
    // An interceptor that has taken the credential off itself gets no other.
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
