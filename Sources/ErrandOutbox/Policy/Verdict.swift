import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a try means for the request.
public enum Verdict: Sendable, Hashable {
  /// A server accepted it.
  case delivered
  /// It is tried again later.
  case again(reason: String)
  /// The server refuses the credentials: nothing more is sent to its origin for a while (`pausesUnauthorized`).
  case unauthorized(reason: String)
  /// It never will be accepted as it is: it is set aside.
  case refused(reason: String)

  /// By what HTTP says:
  /// - 2xx from the origin that was asked is delivered.
  /// - 408, 425, 429 and 5xx, and every failure on the way, are tried again. So is a redirect that is not followed and what
  ///   the request's own validation refused: it may be that of a captive portal.
  /// - 409 is tried again: with an `Idempotency-Key`, which every stored request has, it says that an earlier try is still
  ///   being worked on (draft-ietf-httpapi-idempotency-key-header, section 2.7).
  /// - 401 and 403 are `unauthorized`.
  /// - Any other status is refused, and so is a request that cannot be sent as it is.
  public static func standard(_ aTry: DeliveryTry) -> Verdict {
    switch aTry.result {
    case .success(let response):
      guard response.status.isSuccess else { return of(response.status) }
      // Most answers come from the very URL that was asked.
      guard let asked = aTry.request.url,
        response.url == asked || Origin(asked).map({ $0 == Origin(response.url) }) ?? false
      else {
        return .again(reason: "the answer came from another origin, \(response.url.host() ?? "of no name")")
      }
      return .delivered
    case .failure(let error as RequestError): return of(error)
    case .failure(let error): return .again(reason: "\(error)")
    }
  }

  private static func of(_ error: RequestError) -> Verdict {
    switch error.code {
    case .rejected:
      if case .status(let status, _) = error.rejection { return of(status) }
      return .again(reason: error.message)
    case .bodyTooLarge:
      // It was accepted; only its answer is longer than anybody wants.
      if let status = error.status { return of(status) }
      return .again(reason: error.message)
    case .invalidRequest, .unsupported, .bodyNotReplayable, .fileUnreadable, .fileChanged:
      return .refused(reason: error.message)
    default:
      return .again(reason: error.message)
    }
  }

  private static func of(_ status: Status) -> Verdict {
    let said = "the server answered \(status)"
    switch status.rawValue {
    case 200..<300: return .delivered
    case 409: return .again(reason: "\(said): an earlier try may still be worked on")
    case 401, 403: return .unauthorized(reason: said)
    case 408, 425, 429, 500...: return .again(reason: said)
    case 300..<400: return .again(reason: said)
    default: return .refused(reason: said)
    }
  }
}
