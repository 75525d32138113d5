#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// One identity's credential: the shell around `AuthenticationState`, whatever the kind of credential.
package protocol AnyCredentialSession: AnyObject, Sendable {
  /// The identity of calls that begin now. A refresh does not change it.
  var identity: CallIdentity { get }
  /// True if an app's authenticator runs for each attempt, and may wait for anything.
  var mayWait: Bool { get }
  /// True if an identity is signed in, or may be without a store, as far as this process knows.
  var hasKnownIdentity: Bool { get }
  /// False if the store may name another identity or credential than this process knows. Then `prepare` must
  /// be awaited before they are used.
  /// - Parameter timeline: The client's timeline.
  func isPrepared(on timeline: Timeline) -> Bool
  /// Reads the store if it may have changed. Returns when that is done, or when the call is cancelled.
  /// - Throws: The error of the store.
  func prepare(on timeline: Timeline, unless cancellation: CancellationToken?) async throws
  /// Sends an attempt with the credential, and sends it again if the credential was stale.
  /// Sends a request of the call with the credential; the request's origin is one of the call's.
  func perform(_ request: Request, _ call: CredentialCall) async throws -> Response
  /// Returns the digest of the identity's name; nil if the identity has no name, or no identity is signed in.
  /// - Parameter timeline: The client's timeline.
  /// - Throws: The error of the credential's store.
  func identityDigest(on timeline: Timeline) async throws -> String?
  /// Calls `listener` after each sign-in, as long as the listener's owner holds the returned token.
  /// - Returns: Nil if this kind of session has no sign-in.
  func onSignIn(_ listener: @escaping @Sendable () -> Void) -> SignInListener?
  /// Calls `clear` with the identity whose cached responses must be removed, as long as the returned token is
  /// held.
  /// - Returns: Nil if this kind of session has no sign-out.
  func onClear(_ clear: @escaping @Sendable (String) async throws -> Void) -> SignInListener?
}

extension AnyCredentialSession {
  package var mayWait: Bool { false }
  package var hasKnownIdentity: Bool { true }
  package func isPrepared(on timeline: Timeline) -> Bool { true }
  package func prepare(on timeline: Timeline, unless cancellation: CancellationToken?) async {}
  package func onClear(_ clear: @escaping @Sendable (String) async throws -> Void) -> SignInListener? { nil }
  package func onSignIn(_ listener: @escaping @Sendable () -> Void) -> SignInListener? { nil }
}

/// The origins that a client's credential is for.
package struct CredentialOrigins: Sendable {
  /// The canonical names. An array, because comparing a few names costs less than hashing one.
  package let names: [String]
  /// True if attempt interceptors may send a request to another origin than the one that its credential was
  /// made for.
  package let mayMove: Bool

  /// True if a request may need a second credential, for another origin.
  package var areSeveral: Bool { mayMove || names.count > 1 }

  package func contains(_ origin: String) -> Bool { names.contains(origin) }
}

/// Removes a listener from its credential session when it is released.
package final class SignInListener: Sendable {
  private let end: @Sendable () -> Void
  package init(_ end: @escaping @Sendable () -> Void) { self.end = end }
  deinit { end() }
}

/// Sends the requests of refreshes through a client.
package final class CredentialSender: Sendable {
  typealias Send = @Sendable (Request) async throws -> Response

  package let timeline: Timeline
  package let date: @Sendable () -> Date
  private let client = Locked<Send?>(nil)

  init(timeline: Timeline, date: @escaping @Sendable () -> Date) {
    self.timeline = timeline
    self.date = date
  }

  /// Sets the client. Called once, before the first request, because the stages are created before their
  /// client.
  func attach(_ send: @escaping Send) { client.withLock { $0 = send } }

  /// Sends a request through all of the client's stages.
  package func send(_ request: Request) async throws -> Response {
    guard let send = client.withLock({ $0 }) else {
      throw CancellationToken.Cause.cancelled(.clientShutDown).error(reachedServer: false)
    }
    return try await send(request)
  }
}

/// A call that is sent with a credential, as the credential's session sees it.
package struct CredentialCall: Sendable {
  private let context: CallContext
  private let next: NextStage
  /// The origins that the credential is for.
  package let origins: CredentialOrigins
  /// The era of the call's identity.
  package let era: Int
  /// The client of the call, for refreshes.
  package let sender: CredentialSender

  init(
    _ context: CallContext, at origins: CredentialOrigins, era: Int, _ next: NextStage,
    _ sender: CredentialSender
  ) {
    self.context = context
    self.next = next
    self.origins = origins
    self.era = era
    self.sender = sender
  }

  package var cancellation: CancellationToken { context.cancellation }

  /// Passes a request on to the next stage.
  package func send(_ request: Request) async throws -> Response { try await next(request, context) }

  /// Returns the request as it is sent. See `Request.onWire`.
  package func onWire(_ request: Request) async throws -> Request {
    try await request.onWire(unless: cancellation, context.pins)
  }

  /// Runs the authenticator like an interceptor. See `CallContext.runInterruptibly`.
  package func runInterruptibly<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value { try await context.runInterruptibly(work) }
}
