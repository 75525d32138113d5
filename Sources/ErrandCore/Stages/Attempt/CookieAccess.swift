#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

  /// Returns the request with its cookies. A request that has a `Cookie` field already is unchanged.
  func added(to request: Request, of context: CallContext) -> Request {
    guard let url = request.url, !request.fields.contains("Cookie"),
      let value = jar.field(for: url, identity: identity(context).text, at: date())
    else { return request }
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
