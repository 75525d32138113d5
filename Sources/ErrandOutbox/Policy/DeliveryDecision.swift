import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The consequence of an attempt for the request.
public enum DeliveryDecision: Sendable, Hashable {
  /// A server accepted the request.
  case delivered
  /// The request is sent again after the policy's backoff, and not before `after` has passed.
  case retry(reason: String, after: Duration? = nil)
  /// The server refuses the credentials: nothing more is sent to its origin for a while
  /// (`pausesUnauthorized`).
  case unauthorized(reason: String)
  /// The request will never be accepted as it is: it is moved to the dead letters.
  case reject(reason: String)

  /// Decides by the semantics of HTTP (RFC 9110):
  /// - 2xx from the requested origin is delivered.
  /// - 408, 425, 429, 5xx and every failure on the way are retried. So are a redirect that is not followed
  ///   and a response that the request's own validation refused: it may be that of a captive portal.
  /// - 409 is retried: with an `Idempotency-Key`, which every stored request has, it says that an earlier
  ///   attempt is still being processed (draft-ietf-httpapi-idempotency-key-header, section 2.7).
  /// - 401 and 403 are `unauthorized`.
  /// - Any other status is rejected, and so is a request that cannot be sent as it is.
  public static func standard(_ attempt: DeliveryAttempt) -> DeliveryDecision {
    switch attempt.result {
    case .success(let response):
      guard response.status.isSuccess else { return of(response.status) }
      // Most responses come from the very URL of the request.
      guard let asked = attempt.request.url,
        response.url == asked || Origin(asked).map({ $0 == Origin(response.url) }) ?? false
      else {
        return .retry(reason: "the response came from another origin, \(response.url.host() ?? "of no name")")
      }
      return .delivered
    case .failure(let error as RequestError): return of(error)
    case .failure(let error): return .retry(reason: "\(error)")
    }
  }

  private static func of(_ error: RequestError) -> DeliveryDecision {
    switch error.code {
    case .rejected:
      if case .status(let status, _) = error.rejection { return of(status) }
      return .retry(reason: error.message)
    case .bodyTooLarge:
      // The server accepted it; only the response is longer than the limit.
      if let status = error.status { return of(status) }
      return .retry(reason: error.message)
    case .invalidRequest, .unsupported, .bodyNotReplayable, .fileUnreadable, .fileChanged:
      return .reject(reason: error.message)
    default:
      return .retry(reason: error.message)
    }
  }

  private static func of(_ status: Status) -> DeliveryDecision {
    let said = "the server responded with \(status)"
    switch status.code {
    case 200..<300: return .delivered
    case 409: return .retry(reason: "\(said): an earlier attempt may still be worked on")
    case 401, 403: return .unauthorized(reason: said)
    case 408, 425, 429, 500...: return .retry(reason: said)
    case 300..<400: return .retry(reason: said)
    default: return .reject(reason: said)
    }
  }
}
