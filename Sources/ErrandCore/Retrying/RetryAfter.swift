#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The value of `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter: Sendable, Hashable {
  case delay(seconds: Int64)
  case date(Date)

  package init?(_ value: String) {
    let text = ASCII.trimmed(value)
    if !text.isEmpty, text.utf8.allSatisfy({ 48...57 ~= $0 }) {
      self = .delay(seconds: min(Int64(text) ?? .max, 1 << 40))
    } else if let date = HTTPDate.parse(text) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// Returns how long to wait from `now` on; never negative.
  package func wait(from now: Date) -> Duration {
    switch self {
    case .delay(let seconds): .seconds(seconds)
    case .date(let date): .milliseconds(Int64(max(0, min(date.timeIntervalSince(now), 1e12) * 1000)))
    }
  }
}
