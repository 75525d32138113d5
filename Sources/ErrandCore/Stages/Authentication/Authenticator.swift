#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Puts a credential on each attempt, and refreshes it when a server says that it is stale.
///
/// An authenticator has no state of its own: `Authentication` keeps the credential, and sees to it that it is
/// refreshed once, however many requests find it stale.
///
/// ```swift
/// struct SessionToken: Authenticator {
///   func authenticate(_ request: Request, with token: String) -> Request {
///     request.field("X-Session", token)
///   }
///
///   func refresh(_ token: String?, _ refresh: CredentialRefresh) async throws -> String {
///     try await refresh.send(.post("https://api.example.com/session")).text ?? ""
///   }
/// }
/// ```
public protocol Authenticator: Sendable {
  associatedtype Credential: Sendable

  /// Returns the request with the credential. Called for each attempt, after retries have been decided and
  /// before attempt interceptors.
  ///
  /// It may take its time and send requests of its own, as an interceptor may (see `Interceptor`): a call that is
  /// cancelled, or whose deadline has passed, does not wait for it.
  func authenticate(_ request: Request, with credential: Credential) async throws -> Request

  /// True if `authenticate` waits for nothing. It is called without a task of its own then, which saves some
  /// microseconds, and a call that is cancelled waits until it returns. Default: false.
  var authenticatesAtOnce: Bool { get }

  /// Returns true if the credential is of no use any more, so that it is refreshed before a request is sent.
  /// Default: false.
  func isExpired(_ credential: Credential, at date: Date) -> Bool

  /// Returns true if a response says that the credential is stale. Default: the status is 401.
  func isStale(_ credential: Credential, _ response: ResponseHead) -> Bool

  /// Returns a new credential.
  /// - Parameters:
  ///   - credential: The one to replace; nil if there is none yet.
  ///   - refresh: Sends the request for the new one.
  /// - Throws: `CredentialRejected` if the identity has to sign in again; any other error fails the requests
  ///   that waited, and a later request tries again.
  func refresh(_ credential: Credential?, _ refresh: CredentialRefresh) async throws -> Credential
}

extension Authenticator {
  public var authenticatesAtOnce: Bool { false }
  public func isExpired(_ credential: Credential, at date: Date) -> Bool { false }
  public func isStale(_ credential: Credential, _ response: ResponseHead) -> Bool { response.status == 401 }
}

/// Says that no refresh can help: the identity is signed out, until it signs in again.
public struct CredentialRejected: Error, Sendable, CustomStringConvertible {
  /// A reason without secrets, for messages.
  public let reason: String

  public init(reason: String) { self.reason = reason }

  public var description: String { reason }
}

/// One refresh of a credential.
public struct CredentialRefresh: Sendable {
  /// The head of the response that found the credential stale; nil if the refresh comes before a request.
  public let response: ResponseHead?
  /// The wall clock.
  public let date: Date
  private let sender: CredentialSender

  package init(_ response: ResponseHead?, _ sender: CredentialSender) {
    self.response = response
    self.sender = sender
    date = sender.date()
  }

  /// Sends a request without a credential, without waiting for a slot, whatever the client's limits are. It is
  /// cancelled when the refresh is out of time (30 s), and not when the requests that wait for it are.
  public func send(_ request: Request) async throws -> Response {
    var request = request.unauthenticated()
    request.options.takesNoSlot = true
    return try await sender.send(request)
  }
}
