#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Adds a credential to each attempt, and refreshes it when a server says that it is stale.
///
/// An authenticator is stateless. `CredentialSession` keeps the credential, and refreshes it once, however many
/// requests find it stale. Mark the field that holds the credential as a secret, so that no description shows it
/// and no other origin gets it.
///
/// ```swift
/// struct SessionToken: Authenticator {
///   func authenticate(_ request: Request, with token: String) -> Request {
///     request.field("X-Session", token, isSecret: true)
///   }
///
///   func refresh(_ token: String?, _ refresh: CredentialRefresh) async throws -> String {
///     try await refresh.send(.post("https://api.example.com/session")).text
///   }
/// }
///
/// configuration.authentication = Authentication(CredentialSession(SessionToken(), credential: token))
/// ```
public protocol Authenticator: Sendable {
  /// The credential, such as a token.
  associatedtype Credential: Sendable

  /// Returns the request with the credential. It is called for each attempt, after retries have been decided
  /// and before attempt interceptors.
  ///
  /// It may wait and send other requests, as an interceptor may (see `Interceptor`). A call that is
  /// cancelled, or whose deadline has passed, does not wait for it.
  func authenticate(_ request: Request, with credential: Credential) async throws -> Request

  /// True if `authenticate` never waits. It is then called without a separate task, which saves some
  /// microseconds, and a cancelled call waits until it returns. Default: false.
  var authenticatesAtOnce: Bool { get }

  /// Returns true if the credential has expired, so that it is refreshed before a request is sent. Default:
  /// false.
  func isExpired(_ credential: Credential, at date: Date) -> Bool

  /// Returns true if a response says that the credential is stale. Default: the status is 401.
  func isStale(_ credential: Credential, _ response: ResponseHead) -> Bool

  /// Returns a new credential.
  /// - Parameters:
  ///   - credential: The credential to replace; nil if none has been obtained yet.
  ///   - refresh: Sends the request for the new credential.
  /// - Throws: `CredentialRejected` if the identity has to sign in again. Any other error fails the waiting
  ///   requests, and a later request tries again.
  func refresh(_ credential: Credential?, _ refresh: CredentialRefresh) async throws -> Credential
}

extension Authenticator {
  /// False: `authenticate` may wait.
  public var authenticatesAtOnce: Bool { false }
  /// False: a credential is used until a server finds it stale.
  public func isExpired(_ credential: Credential, at date: Date) -> Bool { false }
  /// True if the status of the response is 401.
  public func isStale(_ credential: Credential, _ response: ResponseHead) -> Bool { response.status == 401 }
}

/// Says that no refresh can help: the identity is signed out until it signs in again.
public struct CredentialRejected: Error, Sendable, CustomStringConvertible {
  /// The reason without secrets, which is part of messages.
  public let reason: String

  /// Creates the error.
  /// - Parameter reason: The reason without secrets, because it is part of messages.
  public init(reason: String) { self.reason = reason }

  public var description: String { reason }
}

/// One refresh of a credential.
public struct CredentialRefresh: Sendable {
  /// The head of the response that found the credential stale; nil if the refresh comes before a request.
  public let response: ResponseHead?
  /// The wall-clock time at which the refresh began.
  public let date: Date
  private let sender: CredentialSender

  package init(_ response: ResponseHead?, _ sender: CredentialSender) {
    self.response = response
    self.sender = sender
    date = sender.date()
  }

  /// Sends a request without a credential and without waiting for a slot, whatever the client's limits are.
  /// It is cancelled when the refresh exceeds its time limit (30 s), but not when the requests that wait for
  /// it are cancelled.
  public func send(_ request: Request) async throws -> Response {
    var request = request.unauthenticated()
    request.options.takesNoSlot = true
    return try await sender.send(request)
  }
}
