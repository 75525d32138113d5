#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The client's use of its cookies: those of the identity that a request is sent for.
struct CookieAccess: Sendable {
  private let store: CookieStore
  private let identity: ClientIdentity
  private let date: @Sendable () -> Date

  init(
    _ store: CookieStore, identity: ClientIdentity, date: @escaping @Sendable () -> Date
  ) {
    self.store = store
    self.identity = identity
    self.date = date
  }

  private func own(_ context: CallContext) -> CookieStore { store.partition(for: identity(context).text) }

  /// Returns the request with its cookies. One that has a `Cookie` field of its own is unchanged.
  func added(to request: Request, of context: CallContext) -> Request {
    guard let url = request.url, !request.fields.contains("Cookie"),
      let value = own(context).field(for: url, at: date())
    else { return request }
    var request = request
    request.fields.append("Cookie", value)
    return request
  }

  /// Takes the cookies of a response, and returns when they are in the store's file, if it has one, or when the call is
  /// cancelled. The store reports what it cannot write.
  func take(_ head: ResponseHead, to request: Request, of context: CallContext) async {
    guard head.fields.contains("Set-Cookie"), let url = request.url else { return }
    let own = own(context)
    own.take(head.fields, from: url, at: date())
    if own.hasFile { try? await context.cancellation.interrupting { try await own.flush() } }
  }
}
