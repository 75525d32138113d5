#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides which redirects a request follows. It works alike with every transport.
public struct RedirectPolicy: Sendable, Hashable {
  /// The most redirects that one attempt follows. With 0, a 3xx is the response. Default: 10.
  public var limit = 10
  /// True if a redirect may lead from https to http. Default: false.
  public var allowsDowngrade = false
  /// True if a redirect may lead to another origin (scheme, host or port). Default: true.
  public var allowsOtherOrigins = true
  /// True if a redirect may change the method to GET, which drops the body. A 303 does so for every method
  /// except GET and HEAD; a 301 or 302 does so for POST (RFC 9110, section 15.4). Default: true.
  public var allowsChangeOfMethod = true

  /// Creates a policy that follows redirects to other origins, and changes methods where HTTP says so.
  /// - Parameters:
  ///   - limit: The most redirects that one attempt follows; 0 follows no redirect. Default: 10.
  ///   - allowsDowngrade: True if a redirect may lead from https to http. Default: false.
  public init(limit: Int = 10, allowsDowngrade: Bool = false) {
    self.limit = limit
    self.allowsDowngrade = allowsDowngrade
  }
}

extension RedirectPolicy {
  enum Step: Sendable {
    /// The response is not a redirect, or redirects are off. The caller gets this response.
    case response
    /// The response is a redirect, and leads to this request.
    case follow(Request)
  }

  /// Decides whether a response is a redirect to follow.
  /// - Parameter followed: The number of redirects that the attempt has followed so far.
  /// - Throws: `RequestError`, if the response is a redirect that must not be followed.
  func step(
    _ request: Request, _ head: ResponseHead, followed: Int, secrets: Secrets
  ) throws(RequestError) -> Step {
    guard limit > 0, let location = head.redirectLocation, let url = request.url else { return .response }
    guard followed < limit else {
      throw refuse(
        .tooManyRedirects, "the request was redirected more than \(limit) times (RedirectPolicy.limit)", head)
    }
    // The user and password of a redirect's target are dropped, because the server chose them.
    let target = secrets.redact(location).clippedURL
    let unreadable = secrets.redactAnything(location).clippedURL.debugDescription
    let (reference, base): (URLReference, URLReference)
    do {
      (reference, base) = (try URLReference(parsing: location), try URLReference(parsing: url.absoluteString))
    } catch {
      throw refuse(
        .redirectRefused,
        "the redirect to \(unreadable) is not followed: \(secrets.redactAnything(error.reason))",
        head)
    }
    let resolved = reference.resolved(against: base)
    let address = Address(resolved, of: resolved.text)
    guard let next = address.url else {
      guard let reason = address.problem else { return .response }
      throw refuse(
        .redirectRefused, "the redirect to \(unreadable) is not followed: \(reason)", head)
    }
    if !allowsDowngrade, Origin(url)?.scheme == "https", Origin(next)?.scheme == "http" {
      throw refuse(
        .redirectRefused,
        "the redirect to \(target) leads from https to http, and is not followed "
          + "(RedirectPolicy.allowsDowngrade)", head)
    }
    let crossesOrigin = Origin(url) != Origin(next)
    if crossesOrigin, !allowsOtherOrigins {
      throw refuse(
        .redirectRefused,
        "the redirect to \(target) leads to another origin, and is not followed "
          + "(RedirectPolicy.allowsOtherOrigins)", head)
    }
    return .follow(try follow(request, to: address, crossesOrigin: crossesOrigin, head, secrets))
  }

  private func follow(
    _ request: Request, to address: Address, crossesOrigin: Bool, _ head: ResponseHead, _ secrets: Secrets
  ) throws(RequestError) -> Request {
    var next = request
    next.address = request.address.hasSecretPath ? address.withSecretPath : address
    let becomesGet =
      head.status == 303
      ? ![.get, .head].contains(request.method)
      : [301, 302].contains(head.status.code) && request.method == .post
    if becomesGet, !allowsChangeOfMethod {
      throw refuse(
        .redirectRefused,
        "the server responded with \(head.status), which asks for a GET instead of the "
          + "\(request.method), and is not followed (RedirectPolicy.allowsChangeOfMethod)", head)
    }
    if becomesGet {
      next.method = .get
      next.body = .none
      next.fields.remove(where: { $0.lowercasedName.hasPrefix("content-") })
    } else if !request.body.isReplayable {
      throw refuse(
        .bodyNotReplayable,
        "the server responded with \(head.status), and the body is a stream that cannot be sent again", head)
    }
    let credential = request.options.credential
    if !crossesOrigin {
      credential?.renew?(&next)
      return next
    }
    next.fields.remove(where: { !$0.mayCrossOrigins || secrets.covers($0) })
    guard let credential else { return next }
    if credential.isInBody, !next.body.isNone {
      throw refuse(
        .redirectRefused,
        "the redirect leads to another origin, which must not get the credential in the body",
        head)
    }
    // A credential for the new origin is made before the request is sent there.
    let mayMove = !credential.isForeign(to: request) && credential.mayMove(to: next)
    if !mayMove { next.options.credential = nil }
    return next
  }

  private func refuse(_ code: RequestError.Code, _ message: String, _ head: ResponseHead) -> RequestError {
    RequestError(code, message: message, status: head.status, fields: head.fields, reachedServer: true)
  }
}

extension ResponseHead {
  /// The target of a redirect; nil if the response is not a redirect, or if its `Location` is empty.
  var redirectLocation: String? {
    guard status.isRedirect, let location = fields.values(of: "Location").first.map(ASCII.trimmed) else {
      return nil
    }
    return location.isEmpty ? nil : location
  }
}

extension HTTPFields.Field {
  fileprivate var lowercasedName: String { ASCII.lowercased(name) }
}
