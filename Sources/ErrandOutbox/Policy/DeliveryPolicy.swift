public import ErrandCore
import ErrandUploads

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How an outbox attempts a request, and which response counts as delivered. It replaces the retry policies
/// of the client and of the request: the client makes one attempt for each attempt of the outbox.
public struct DeliveryPolicy: Sendable {
  /// The wait after the n-th attempt is random between zero and `backoff · 2ⁿ⁻¹` (full jitter). Default: 1 s.
  public var backoff: Duration = .seconds(1)
  /// The longest of these waits. Default: 1 h.
  public var maxBackoff: Duration = .seconds(3600)
  /// The longest `Retry-After` that the outbox waits for. A longer one is cut to this, and the reason says
  /// so. Default: 24 h.
  public var maxRetryAfter: Duration = .seconds(86_400)
  /// The number of attempts after which a request is moved to the dead letters. An attempt counts if it
  /// reached a server, or if its end is unknown because its process ended. An attempt that could not connect
  /// does not count, and neither does one whose credentials were refused. Nil for no limit. Default: 100.
  public var maxAttempts: Int? = 100
  /// The age from which a failed attempt is the last one: the request is moved to the dead letters. The age
  /// counts from when the request was stored. To remove a request at a certain time, give it a lifetime
  /// instead (`expires`). Nil for no limit. Default: nil.
  public var giveUpAfter: Duration?
  /// True if 401 and 403 mean that the credentials are wrong. The outbox then sends nothing more to that
  /// origin until you resume it (`Outbox.resume(origin:)`), or until a probe is accepted: the outbox sends a
  /// single request after a wait that grows. A request that is refused again after others were accepted is
  /// moved to the dead letters.
  ///
  /// False to move the request to the dead letters at once. Default: true.
  public var pausesUnauthorized = true
  /// Decides what an attempt means. Default: `DeliveryDecision.standard`.
  public var classify: @Sendable (DeliveryAttempt) -> DeliveryDecision = DeliveryDecision.standard
  /// Where redirects of stored requests may lead. Default: to the same origin only, with the same method.
  public var redirects = DeliveryPolicy.sameRequest

  /// Creates a policy with the default values.
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
  /// The response that passed the request's own validation, or the error: a `RequestError`, or an error that
  /// an interceptor threw.
  public let result: Result<Response, any Error>
  /// When the request was stored.
  public let storedAt: Date
  /// True if redirects of the request may lead to another origin.
  var mayChangeOrigin = false
  /// Whether the upload made progress; nil for a request whose upload does not resume.
  private(set) var madeProgress: Bool?
  /// The number of attempts since the last progress, this one included: of a request whose upload does not resume, all.
  private(set) var failures: Int

  /// Creates the result of an attempt, for a test of `classify`.
  /// - Parameter number: The number of the attempt, from 1.
  public init(
    request: Request, number: Int, result: Result<Response, any Error>, storedAt: Date = Date()
  ) {
    self.request = request
    self.number = number
    self.result = result
    self.storedAt = storedAt
    failures = number
  }

  /// Notes that this was an attempt of an upload that resumes.
  /// - Parameter counted: The number of attempts that count, this one included.
  mutating func take(madeProgress: Bool, counted: Int) {
    self.madeProgress = madeProgress
    failures = madeProgress ? 1 : counted
  }
}

/// The consequence of an attempt for the request.
public enum DeliveryDecision: Sendable, Hashable {
  /// A server accepted the request.
  case delivered
  /// The request is sent again after the policy's backoff, and not before `after` has passed.
  case retry(reason: String, after: Duration? = nil)
  /// The server refuses the credentials: the outbox sends nothing more to its origin for a while
  /// (`pausesUnauthorized`).
  case unauthorized(reason: String)
  /// The request will never be accepted as it is: it is moved to the dead letters.
  case reject(reason: String)

  /// Decides by the request's checks, and by the semantics of HTTP (RFC 9110):
  /// - A response that the request's checks accept (2xx, unless it says otherwise) is delivered if it came from the
  ///   requested origin, or if the policy lets redirects lead to the other one. Of the others:
  /// - 303 within the origin, to anything but a GET, is delivered unless the request names its statuses: the server
  ///   accepted the request, and the result is elsewhere (section 15.4.4).
  /// - 408, 425, 429, 5xx and every failure on the way are retried. So are a redirect that is not followed, a 2xx
  ///   that the request does not accept, and a response that another of its checks refuses: a captive portal may
  ///   have sent it.
  /// - 301 and 302 to a POST, within the origin, are rejected, unless the policy lets redirects change the
  ///   method.
  /// - 409 is retried, four times. Every stored request has an `Idempotency-Key`, and with one a 409 may mean
  ///   that the server is still processing an earlier attempt (draft-ietf-httpapi-idempotency-key-header,
  ///   section 2.7). A 409 whose body names idempotency is retried like any other failure.
  /// - 401 and 403 are `unauthorized`. So is a request of a client that is signed out, or whose credential
  ///   cannot be refreshed. A request that is stored for another identity than the signed-in one waits for
  ///   its identity.
  /// - Any other status is rejected, and so is a request that cannot be sent as it is.
  public static func standard(_ attempt: DeliveryAttempt) -> DeliveryDecision {
    switch attempt.result {
    case .success(let response):
      // An interceptor may have accepted what the request does not.
      guard attempt.request.accepts(response.status) else {
        return refused(response.status, response.fields, attempt.request)
      }
      // Most responses come from the very URL of the request.
      guard !attempt.mayChangeOrigin, let asked = attempt.request.url else { return .delivered }
      guard
        response.url == asked || Origin(asked).map({ $0 == Origin(response.url) }) ?? false
      else {
        return .retry(
          reason: "the response came from another origin, \(response.url.host() ?? "whose URL has no host")")
      }
      return .delivered
    case .failure(let error as RequestError):
      // The server may not have noticed yet that an earlier attempt of the upload has ended.
      if attempt.madeProgress != nil, error.code == .rejected, error.status == 423 {
        return .retry(
          reason: "the server responded with \(HTTPStatus(423)): it may still be receiving an earlier attempt"
        )
      }
      return of(error, attempt.request)
    case .failure(let error): return .retry(reason: error.shown)
    }
  }

  /// Decides about a redirect that was not followed. Within the origin it cannot come from a captive portal.
  private static func redirected(
    _ request: Request, _ status: HTTPStatus, _ fields: HTTPFields
  ) -> DeliveryDecision? {
    guard ![.get, .head].contains(request.method), let url = request.url,
      let target = fields["Location"].flatMap({ URL(string: $0, relativeTo: url) }),
      let origin = Origin(url), origin == Origin(target.absoluteURL)
    else { return nil }
    switch status.code {
    case 303: return request.options.validator.statuses == .success ? .delivered : nil
    case 301, 302:
      guard request.method == .post else { return nil }
      return .reject(
        reason:
          "the server responded with \(status), which asks for a GET instead of the POST: send the request to "
          + "the target, or let DeliveryPolicy.redirects change the method")
    default: return nil
    }
  }

  private static func of(_ error: RequestError, _ request: Request) -> DeliveryDecision {
    if FailureCause(of: error) == .request { return .reject(reason: error.message) }
    switch error.code {
    case .rejected:
      if case .status(let status, let expected) = error.rejection {
        return refused(status, error.fields, request, expected: expected)
      }
      return .retry(reason: error.message)
    case .bodyTooLarge:
      guard let status = error.status else { return .retry(reason: error.message) }
      // The server accepted the request. Only the response is longer than the limit.
      return request.accepts(status) ? .delivered : refused(status, error.fields, request)
    case .uploadFailed where (error.underlying as? UploadFailure)?.isLasting == true:
      return .reject(reason: error.message)
    case .signedOut, .refreshFailed, .excessiveRefresh:
      return .unauthorized(reason: error.message)
    case .cancelled where error.cancellation == .signedOut:
      return .unauthorized(reason: error.message)
    default:
      return .retry(reason: error.message)
    }
  }

  /// Decides about a status that the request does not accept.
  /// - Parameter expected: The statuses that an interceptor expected; nil for those of the request.
  private static func refused(
    _ status: HTTPStatus, _ fields: HTTPFields?, _ request: Request, expected: AcceptedStatuses? = nil
  ) -> DeliveryDecision {
    if let decision = redirected(request, status, fields ?? [:]) { return decision }
    let said = "the server responded with \(status)"
    switch status.code {
    case 200..<300:
      return .retry(
        reason:
          "\(said) instead of \(expected ?? request.options.validator.statuses): a captive portal may have sent it"
      )
    case 409: return .retry(reason: "\(said): it may still be processing an earlier attempt")
    case 401, 403: return .unauthorized(reason: said)
    case 408, 425, 429, 500...: return .retry(reason: said)
    case 300..<400: return .retry(reason: said)
    default: return .reject(reason: said)
    }
  }
}

extension Request {
  /// True if the request accepts responses with this status.
  func accepts(_ status: HTTPStatus) -> Bool { options.validator.statuses.contains(status) }
}
