#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The rules for which failures are retried, how often and when.
///
/// A request whose method is idempotent, or that carries an `Idempotency-Key`, is retried after each failure
/// that the policy lists. Any other request (POST, PATCH) is retried only if certainly no bytes reached the
/// server.
///
/// An outbox does not use this policy. Each of its attempts is one attempt of its client, and
/// `DeliveryPolicy` says when the next is due, so that the two policies never multiply.
public struct RetryPolicy: Sendable, Hashable {
  /// The maximum number of attempts, including the first. Default: 3.
  public var maxAttempts = 3
  /// The methods that may be retried even if the server may have seen the request. Default: the idempotent
  /// ones.
  public var methods: Set<HTTPMethod> = Self.idempotentMethods
  /// The statuses of rejected responses that are retried. Default: 408, 425, 429, 500, 502, 503, 504.
  public var statuses: Set<Int> = Self.usualStatuses
  /// The failures that are retried. Default: time-outs, failures to resolve or connect, and lost connections.
  public var failures: Set<RequestError.Code> = Self.usualFailures
  /// The base of the backoff: the wait before attempt n+1 is random between zero and `backoff · 2ⁿ⁻¹` (full
  /// jitter). Default: 0.5 s.
  public var backoff: Duration = .milliseconds(500)
  /// The longest backoff. Default: 20 s.
  public var maxBackoff: Duration = .seconds(20)
  /// The longest `Retry-After` that a call waits for. If a server asks for more, the call fails at once, and
  /// `RequestError.retryAfter` says how long to wait. Default: 60 s.
  public var maxRetryAfter: Duration = .seconds(60)

  // Sets that are the same object are compared in constant time, and most policies have these.
  private static let idempotentMethods: Set<HTTPMethod> = [.get, .head, .put, .delete, .options, .trace]
  private static let usualStatuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
  private static let usualFailures: Set<RequestError.Code> = [
    .timedOut, .cannotResolveHost, .cannotConnect, .connectionLost,
  ]

  /// Creates the default policy.
  public init() {}

  /// Returns the default policy with this number of attempts.
  public static func attempts(_ count: Int) -> RetryPolicy {
    var policy = RetryPolicy()
    policy.maxAttempts = count
    return policy
  }

  /// The policy that makes one attempt only.
  public static let never = attempts(1)
}

/// The value of `Retry-After` (RFC 9110, section 10.2.3): a number of seconds or a date. Servers also send
/// decimal fractions, and dates in `UTC` or `+0000`.
package enum RetryAfter: Sendable, Hashable {
  case delay(seconds: Int64)
  case date(Date)

  /// The longest delay: more than 30,000 years.
  private static let longest: Int64 = 1 << 40

  /// Reads the field of a response. If it has several values, a date counts, or else the longest delay.
  package init?(of fields: HTTPFields) {
    let found = fields.values(of: "Retry-After").compactMap { RetryAfter($0) }
    guard let latest = found.max(by: Self.isShorter) else { return nil }
    self = latest
  }

  /// Parses one value of the field.
  /// - Returns: Nil for a negative number, and for any other text that is not a time.
  package init?(_ value: String) {
    let text = ASCII.trimmed(value)
    if let seconds = Self.seconds(text.utf8[...]) {
      self = .delay(seconds: seconds)
    } else if let date = HTTPDate.parse(text) {
      self = .date(date)
    } else {
      // A proxy may have joined several lines.
      let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      let numbers = parts.compactMap { Self.seconds(ASCII.trimmed(String(Substring($0))).utf8[...]) }
      guard numbers.count == parts.count, let longest = numbers.max() else { return nil }
      self = .delay(seconds: longest)
    }
  }

  /// Returns a number of seconds, rounded up to a whole one.
  private static func seconds(_ text: Substring.UTF8View) -> Int64? {
    let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.endIndex
    let (whole, fraction) = (text[..<point], text[point...].dropFirst())
    guard !whole.isEmpty, [whole, fraction].allSatisfy({ $0.allSatisfy { 48...57 ~= $0 } }) else {
      return nil
    }
    let seconds = whole.reduce(Int64(0)) { min($0 * 10 + Int64($1 - 48), longest) }
    return fraction.allSatisfy { $0 == 48 } ? seconds : min(seconds + 1, longest)
  }

  private static func isShorter(_ left: RetryAfter, _ right: RetryAfter) -> Bool {
    switch (left, right) {
    case (.delay(let left), .delay(let right)): left < right
    case (.date(let left), .date(let right)): left < right
    case (.delay, .date): true
    case (.date, .delay): false
    }
  }

  /// Returns how long to wait from `now`, rounded up to a whole millisecond; never negative.
  package func wait(from now: Date) -> Duration {
    switch self {
    case .delay(let seconds): .seconds(seconds)
    case .date(let date):
      .milliseconds(Int64((max(0, min(date.timeIntervalSince(now), 1e12)) * 1000).rounded(.up)))
    }
  }
}
