public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How an outbox attempts a request, and which response counts as delivered. It takes the place of the
/// client's `RetryPolicy`, and of a request's own: the client makes one attempt for each of the outbox's.
public struct DeliveryPolicy: Sendable {
  /// The wait after the n-th attempt is random between zero and `backoff · 2ⁿ⁻¹` (full jitter). Default: 1 s.
  public var backoff: Duration = .seconds(1)
  /// The longest of these waits. Default: 1 h.
  public var maxBackoff: Duration = .seconds(3600)
  /// The longest `Retry-After` that is waited for; a longer one is cut to this, and the reason says so. Default: 24 h.
  public var maxRetryAfter: Duration = .seconds(86_400)
  /// The number of attempts after which a request is moved to the dead letters. An attempt counts if it
  /// reached a server, or if its end is unknown, as when it ended its process. Attempts that could not
  /// connect do not count, nor those whose credentials were refused. Nil for no limit. Default: 100.
  public var maxAttempts: Int? = 100
  /// The time since a request was stored after which a failed attempt is its last: it is moved to the dead letters. A request
  /// that is only kept for a while has a lifetime instead (`expires`). Nil for no limit. Default: nil.
  public var giveUpAfter: Duration?
  /// How 401 and 403 are handled. True: the credentials are wrong, so nothing more is sent to that origin
  /// until it is resumed by hand (`Outbox.resume(origin:)`) or a single request, sent after a growing time,
  /// gets through. A request that is refused again though others were accepted since is moved to the dead
  /// letters. False: the request is moved to the dead letters. Default: true.
  public var pausesUnauthorized = true
  /// Decides what an attempt means. Default: `DeliveryDecision.standard`.
  public var classify: @Sendable (DeliveryAttempt) -> DeliveryDecision = DeliveryDecision.standard
  /// Where redirects of stored requests may lead. Default: to the same origin only, with the same method.
  public var redirects = DeliveryPolicy.sameRequest

  public init() {}

  private static var sameRequest: RedirectPolicy {
    var policy = RedirectPolicy()
    policy.allowsOtherOrigins = false
    policy.allowsChangeOfMethod = false
    return policy
  }
}

/// The result of one attempt of a stored request.
public struct DeliveryAttempt: Sendable {
  /// The request as it was stored, without what the client and its interceptors add.
  public let request: Request
  /// The number of the attempt, from 1.
  public let number: Int
  /// The response that passed the request's own validation, or why there is none: a `RequestError`, or what
  /// an interceptor threw.
  public let result: Result<Response, any Error>
  /// When the request was stored.
  public let storedAt: Date
  /// True if redirects of the request may lead to another origin.
  var mayChangeOrigin = false

  public init(
    request: Request, number: Int, result: Result<Response, any Error>, storedAt: Date = Date()
  ) {
    self.request = request
    self.number = number
    self.result = result
    self.storedAt = storedAt
  }
}

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
  /// - 2xx from the requested origin is delivered, or from another if the policy lets redirects lead there. So is 303 to
  ///   anything but a GET, within the origin: the request was accepted, and its result is elsewhere (section 15.4.4).
  /// - 408, 425, 429, 5xx and every failure on the way are retried. So are a redirect that is not followed
  ///   and a response that the request's own validation refused: it may be that of a captive portal.
  /// - 301 and 302 to a POST, within the origin, are rejected, unless the policy lets redirects change the method.
  /// - 409 is retried, four times: with an `Idempotency-Key`, which every stored request has, it may say that an earlier
  ///   attempt is still being processed (draft-ietf-httpapi-idempotency-key-header, section 2.7). A response that says
  ///   so, by naming idempotency, is retried like any other.
  /// - 401 and 403 are `unauthorized`, and so is a request of a client that is signed out or whose credential cannot
  ///   be refreshed. A request that is kept for another identity than the one that is signed in waits for that one.
  /// - Any other status is rejected, and so is a request that cannot be sent as it is.
  public static func standard(_ attempt: DeliveryAttempt) -> DeliveryDecision {
    switch attempt.result {
    case .success(let response):
      guard response.status.isSuccess else {
        return redirected(attempt.request, response.status, response.fields) ?? of(response.status)
      }
      // Most responses come from the very URL of the request.
      guard !attempt.mayChangeOrigin, let asked = attempt.request.url else { return .delivered }
      guard
        response.url == asked || Origin(asked).map({ $0 == Origin(response.url) }) ?? false
      else {
        return .retry(reason: "the response came from another origin, \(response.url.host() ?? "of no name")")
      }
      return .delivered
    case .failure(let error as RequestError):
      return error.status.flatMap { redirected(attempt.request, $0, error.fields ?? [:]) } ?? of(error)
    case .failure(let error): return .retry(reason: error.shown)
    }
  }

  /// Decides about a redirect that is not followed, and stays within the origin: it is no captive portal's.
  private static func redirected(
    _ request: Request, _ status: HTTPStatus, _ fields: HTTPFields
  ) -> DeliveryDecision? {
    guard ![.get, .head].contains(request.method), let url = request.url,
      let target = fields["Location"].flatMap({ URL(string: $0, relativeTo: url) }),
      let origin = Origin(url), origin == Origin(target.absoluteURL)
    else { return nil }
    switch status.code {
    case 303: return .delivered
    case 301, 302:
      guard request.method == .post else { return nil }
      return .reject(
        reason:
          "the server responded with \(status), which asks for a GET in the place of the POST: send the request to "
          + "the target, or let DeliveryPolicy.redirects change the method")
    default: return nil
    }
  }

  private static func of(_ error: RequestError) -> DeliveryDecision {
    if FailureCause(of: error) == .request { return .reject(reason: error.message) }
    switch error.code {
    case .rejected:
      if case .status(let status, _) = error.rejection { return of(status) }
      return .retry(reason: error.message)
    case .bodyTooLarge:
      // The server accepted it; only the response is longer than the limit.
      if let status = error.status { return of(status) }
      return .retry(reason: error.message)
    case .signedOut, .refreshFailed, .excessiveRefresh:
      return .unauthorized(reason: error.message)
    case .cancelled where error.cancellation == .signedOut:
      return .unauthorized(reason: error.message)
    default:
      return .retry(reason: error.message)
    }
  }

  private static func of(_ status: HTTPStatus) -> DeliveryDecision {
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
