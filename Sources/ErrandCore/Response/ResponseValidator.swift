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
  func problem(with response: Response, bodyLength: Int64?) -> RequestError.Rejection? {
    if requiresBody, bodyLength == 0 { return .empty }
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
