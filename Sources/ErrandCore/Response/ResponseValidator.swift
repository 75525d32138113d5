#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides which responses are accepted. A rejected response becomes an error that names the expected and the
/// received value, and that carries the first part of the body.
package struct ResponseValidator: Sendable, Hashable {
  /// The statuses that are accepted. Default: 200 to 299.
  package var statuses = AcceptedStatuses.success
  /// The content types that are accepted, such as `application/json` and `image/*`; nil accepts all. Default:
  /// nil.
  package var contentTypes: [String]?
  /// True if an empty body is rejected. Default: false.
  package var requiresBody = false
  /// More checks, which run in this order. Default: none.
  package var checks: [ResponseCheck] = []

  /// Creates a validator that accepts every 2xx response.
  package init() {}

  /// Returns the reason why the head is rejected, or nil. It decides where the body goes: only an accepted
  /// response is written to the requested file or stream.
  func problem(with head: ResponseHead) -> RequestError.Rejection? {
    if !statuses.contains(head.status) {
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

  /// Returns the reason why the complete response is rejected, or nil.
  func problem(with response: Response, bodyLength: @autoclosure () -> Int64?) -> RequestError.Rejection? {
    if requiresBody, bodyLength() == 0 { return .empty }
    for check in checks {
      do { try check(response) } catch { return .check(error) }
    }
    return nil
  }
}

/// An app's check of a response. Two are equal only if they are the same object.
package final class ResponseCheck: Sendable, Hashable {
  private let check: @Sendable (Response) throws -> Void

  /// Creates a check.
  /// - Parameter check: Throws an error to reject the response. That error is the `underlying` one of the
  ///   `RequestError`.
  package init(_ check: @escaping @Sendable (Response) throws -> Void) { self.check = check }

  func callAsFunction(_ response: Response) throws { try check(response) }

  package static func == (left: ResponseCheck, right: ResponseCheck) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ResponseValidator {
  /// Returns the reason why the validator rejects a response that another request has obtained; nil if it
  /// accepts it.
  func rejection(of response: Response) -> RequestError.Rejection? {
    problem(with: response.head)
      ?? problem(with: response, bodyLength: response.body.count)
  }

  /// The decision about a response that another validator has rejected.
  enum Judgement {
    case accepted(Response)
    case rejected(RequestError)
    /// The response is incomplete, because it was rejected.
    case unknown
  }

  /// Decides about the response of a rejection, which was made for the request of another caller.
  func judge(_ rejected: RequestError) -> Judgement {
    // A rejection with a method is about a request that an interceptor sent.
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
  /// The maximum number of bytes that are read of a body that is not delivered. It is enough for an error to
  /// show.
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

/// The statuses that a request accepts, as ranges in ascending order.
///
/// Nearly all requests accept one range, which needs no memory beyond the value.
public struct AcceptedStatuses: Sendable, Hashable {
  private let first: Range<Int>
  /// Nil without others, because requests are copied often, and an array has a reference count.
  private let others: [Range<Int>]?

  /// Every 2xx.
  package static let success = AcceptedStatuses(200..<300)

  /// The numbers that a status can have on the wire.
  private static let all = 0..<1000

  /// Creates the statuses of a sequence, such as `[200, 404]` or `200..<400`. Numbers that no status can have are left
  /// out. Ranges of any size are exact. Of a long or endless sequence of another type, up to a million numbers are read.
  package init(_ statuses: some Sequence<Int>) {
    if let range = Self.range(of: statuses) {
      (first, others) = (range, nil)
      return
    }
    var isIncluded = [Bool](repeating: false, count: Self.all.count)
    var missing = Self.all.count
    for status in statuses.prefix(Self.longest) where Self.all.contains(status) && !isIncluded[status] {
      isIncluded[status] = true
      missing -= 1
      if missing == 0 { break }
    }
    var ranges: [Range<Int>] = []
    for status in Self.all where isIncluded[status] {
      if let last = ranges.last, last.upperBound == status {
        ranges[ranges.count - 1] = last.lowerBound..<status + 1
      } else {
        ranges.append(status..<status + 1)
      }
    }
    first = ranges.first ?? 0..<0
    others = ranges.count > 1 ? Array(ranges.dropFirst()) : nil
  }

  /// The most numbers that are read of a sequence, which may have no end.
  private static let longest = 1_000_000

  /// Returns the statuses in a range, without reading it: `(Int.max - 2)...` cannot be read to its end.
  private static func range(of statuses: some Sequence<Int>) -> Range<Int>? {
    switch statuses {
    case let range as Range<Int>: range.clamped(to: all)
    case let range as ClosedRange<Int>:
      range.overlaps(all)
        ? max(range.lowerBound, all.lowerBound)..<min(range.upperBound, all.upperBound - 1) + 1 : 0..<0
    case let range as PartialRangeFrom<Int>:
      all.contains(range.lowerBound) || range.lowerBound < 0
        ? max(range.lowerBound, all.lowerBound)..<all.upperBound : 0..<0
    default: nil
    }
  }

  /// Creates the statuses between the bounds of ranges: the first status of each, and the one after its last.
  /// - Returns: Nil, unless the bounds are those of at least one range, in ascending order.
  package init?(bounds: [Int]) {
    let isAscending = zip(bounds, bounds.dropFirst()).allSatisfy(<=)
    guard !bounds.isEmpty, bounds.count.isMultiple(of: 2), isAscending else { return nil }
    let ranges = stride(from: 0, to: bounds.count, by: 2).map {
      (bounds[$0]..<bounds[$0 + 1]).clamped(to: Self.all)
    }
    (first, others) = (ranges[0], ranges.count > 1 ? Array(ranges.dropFirst()) : nil)
  }

  /// The bounds of the ranges: the first status of each, and the one after its last.
  package var bounds: [Int] { ranges.flatMap { [$0.lowerBound, $0.upperBound] } }

  private var ranges: [Range<Int>] { [first] + (others ?? []) }

  /// Returns true if a status is accepted.
  public func contains(_ status: HTTPStatus) -> Bool {
    first.contains(status.code) || others?.contains { $0.contains(status.code) } == true
  }
}

extension AcceptedStatuses: CustomStringConvertible {
  /// The statuses in words, such as `200 to 299 or 404`.
  public var description: String {
    let texts = ranges.filter { !$0.isEmpty }.map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound - 1)"
    }
    return texts.isEmpty ? "no status" : texts.joined(separator: " or ")
  }
}
