#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Keeps the cookies of a client (``ClientConfiguration/cookies``): `CookieStore` of ErrandCookies, or your own.
///
/// Both methods are called from several threads at once, and wait for nothing.
public protocol CookieJar: Sendable {
  /// Returns the value of the `Cookie` header field of a request; nil if no cookie is for it.
  ///
  /// - Parameters:
  ///   - url: The request's URL.
  ///   - identity: Whom the request is sent for (``ClientConfiguration/identity``): cookies are never shared between
  ///     identities, and nil is one.
  ///   - now: The time at which cookies have expired or not.
  func field(for url: URL, identity: String?, at now: Date) -> String?

  /// Takes the cookies of a response, whatever its status. It has at least one `Set-Cookie` header field.
  ///
  /// - Parameters:
  ///   - fields: The header fields of the response.
  ///   - url: The URL of the request.
  ///   - identity: Whom the request was sent for.
  ///   - now: When the response came.
  /// - Returns: What waits until the cookies are stored; nil if there is nothing to wait for. The response waits for it,
  ///   unless the call is cancelled. Its error is ignored.
  func receive(
    _ fields: HTTPFields, from url: URL, identity: String?, at now: Date
  ) -> (@Sendable () async throws -> Void)?
}
