#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides which responses are accepted. A response that is refused becomes an error that says what was
/// expected, what came, and carries the first part of the body.
public struct ResponseValidator: Sendable, Hashable {
  /// The statuses that are accepted.
  public var statuses: Range<Int> = 200..<300
  /// The content types that are accepted, for example `application/json`, `image/*`; nil accepts all.
  public var contentTypes: [String]?
  /// True if an empty body is refused.
  public var requiresBody = false
  /// More checks, in order.
  public var checks: [ResponseCheck] = []

  public init() {}

  /// Returns why the head is refused, or nil. This decides where the body goes: only an accepted response is
  /// written to the file or the stream that was asked for.
  func problem(with head: ResponseHead) -> RequestError.Rejection? {
    if !statuses.contains(head.status.code) {
      return .status(head.status, expected: statuses)
    }
    if let contentTypes, head.status != 204 {
      let type = head.fields["Content-Type"]
      if !contentTypes.contains(where: { MediaType.matches(type ?? "", $0) }) {
        return .contentType(type, expected: contentTypes)
      }
    }
    return nil
  }

  /// Returns why the complete response is refused, or nil.
  func problem(with response: Response, bodyLength: @autoclosure () -> Int64?) -> RequestError.Rejection? {
    if requiresBody, bodyLength() == 0 { return .empty }
    for check in checks {
      do { try check(response) } catch { return .check(error) }
    }
    return nil
  }
}

/// A check of a response by the application. Two are equal only if they are the same object.
public final class ResponseCheck: Sendable, Hashable {
  private let check: @Sendable (Response) throws -> Void

  public init(_ check: @escaping @Sendable (Response) throws -> Void) { self.check = check }

  func callAsFunction(_ response: Response) throws { try check(response) }

  public static func == (left: ResponseCheck, right: ResponseCheck) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ResponseValidator {
  /// Returns why the validator rejects a response that another request has obtained; nil if it accepts it.
  func rejection(of response: Response) -> RequestError.Rejection? {
    problem(with: response.head)
      ?? problem(with: response, bodyLength: Int64(response.data.count))
  }

  /// The judgement of a response that another validator has rejected.
  enum Judgement {
    case accepted(Response)
    case rejected(RequestError)
    /// The response has not come to its end, because it was rejected.
    case unknown
  }

  /// Judges the response of a rejection, which is about the request of another caller.
  func judge(_ rejected: RequestError) -> Judgement {
    // The rejection of a request that an interceptor sent has that request.
    guard rejected.method == nil, let status = rejected.status else { return .rejected(rejected) }
    guard let response = rejected.response else {
      return problem(with: ResponseHead(status: status, fields: rejected.fields ?? [:])) == nil
        ? .unknown : .rejected(rejected)
    }
    guard let rejection = rejection(of: response) else { return .accepted(response) }
    var error = rejection.error(of: response)
    (error.attempt, error.origin, error.retryAfter) = (rejected.attempt, rejected.origin, rejected.retryAfter)
    return .rejected(error)
  }
}

extension RequestError.Rejection {
  /// The most bytes read of a body that is not delivered: enough for an error to show.
  static let prefixLimit = 64 << 10

  func error(_ status: HTTPStatus, _ fields: HTTPFields, bodyPrefix: Data) -> RequestError {
    var underlying: (any Error)?
    if case .check(let error) = self { underlying = error }
    return RequestError(
      .rejected, message: description, status: status, fields: fields, reachedServer: true,
      underlying: underlying, rejection: self, bodyPrefix: bodyPrefix)
  }

  func error(of response: Response) -> RequestError {
    var error = error(response.status, response.fields, bodyPrefix: response.data.prefix(Self.prefixLimit))
    error.timing = response.timing
    error.attempt = response.timing.attempts
    return error
  }
}
