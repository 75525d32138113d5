#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Stores the cookies of a client (``ClientConfiguration/cookies``). ErrandCookies has an implementation,
/// `CookieStore`.
///
/// Both methods are called from several threads at once, and must return without waiting.
public protocol CookieJar: Sendable {
  /// Returns the value of the `Cookie` header field of a request; nil if no cookie matches.
  ///
  /// - Parameters:
  ///   - url: The request's URL.
  ///   - identity: The identity that the request is sent for (``ClientConfiguration/identity``). Identities
  ///     never share cookies, and nil counts as an identity.
  ///   - now: The current time. A cookie that has expired by then is not sent.
  func field(for url: URL, identity: String?, at now: Date) -> String?

  /// Stores the cookies of a response with any status. The response has at least one `Set-Cookie` header
  /// field.
  ///
  /// - Parameters:
  ///   - fields: The header fields of the response.
  ///   - url: The URL of the request.
  ///   - identity: The identity that the request was sent for.
  ///   - now: The time at which the response arrived.
  /// - Returns: A function that returns when the cookies are stored; nil if the client need not wait. The
  ///   client calls it before it delivers the response, stops waiting if the call is cancelled, and ignores
  ///   its error.
  func receive(
    _ fields: HTTPFields, from url: URL, identity: String?, at now: Date
  ) -> (@Sendable () async throws -> Void)?
}

/// Adds the cookies of a call's identity to requests, and stores the cookies of responses.
struct CookieAccess: Sendable {
  private let jar: any CookieJar
  private let identity: ClientIdentity
  private let date: @Sendable () -> Date

  init(_ jar: any CookieJar, identity: ClientIdentity, date: @escaping @Sendable () -> Date) {
    self.jar = jar
    self.identity = identity
    self.date = date
  }

  /// Returns the value of the `Cookie` field that is added to a request; nil if none is added, because no cookie
  /// matches, or the request has the field already.
  func field(for request: Request, of context: CallContext) -> String? {
    guard let url = request.url, !request.fields.contains("Cookie") else { return nil }
    return jar.field(for: url, identity: identity(context).text, at: date())
  }

  /// Returns the request with its cookies. A request that has a `Cookie` field already is unchanged.
  func added(to request: Request, of context: CallContext) -> Request {
    guard let value = field(for: request, of: context) else { return request }
    var request = request
    request.fields.append("Cookie", value)
    return request
  }

  /// Stores the cookies of a response. Returns when the jar has stored them, or when the call is cancelled.
  /// The jar reports its write errors itself.
  func take(_ head: ResponseHead, to request: Request, of context: CallContext) async {
    guard head.fields.contains("Set-Cookie"), let url = request.url else { return }
    if let stored = jar.receive(head.fields, from: url, identity: identity(context).text, at: date()) {
      try? await context.cancellation.interrupting { try await stored() }
    }
  }
}
