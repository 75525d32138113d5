#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How many cookies are kept (RFC 6265bis, section 6.1). Beyond the limits, expired cookies are removed
/// first, then the least recently used. If one domain has too many, cookies that are not secure are removed
/// before secure ones.
public struct CookieLimits: Sendable, Hashable {
  /// The maximum number of cookies of one registrable domain, such as `example.com` with all its hosts.
  /// Default: 50.
  package var perDomain: Int
  /// The maximum number of cookies in all. Default: 3000. Each takes up to 9 KB of memory; most take less
  /// than 1 KB.
  package var total: Int

  /// Creates limits. Numbers out of range are replaced by the nearest allowed number.
  /// - Parameters:
  ///   - perDomain: The maximum number of cookies of one registrable domain, from 1 to 1,000,000. Default:
  ///     50.
  ///   - total: The maximum number of cookies in all, from 1 to 1,000,000. Default: 3000.
  public init(perDomain: Int = 50, total: Int = 3000) {
    self.perDomain = perDomain
    self.total = total
  }

  /// The same limits, with each number in its range.
  var clamped: CookieLimits {
    CookieLimits(perDomain: min(max(1, perDomain), 1_000_000), total: min(max(1, total), 1_000_000))
  }
}

extension CookieList {
  mutating func removeExpired(at now: Date) { remove { $0.cookie.isExpired(at: now) } }

  /// Removes the cookies that exceed the limits.
  mutating func evict(at now: Date) {
    removeExpired(at: now)
    for site in sites.keys { evict(from: site) }
    guard count > limits.total else { return }
    let entries = sites.values.joined().sorted(by: Entry.isUsedEarlier)
    for entry in entries.prefix(count - limits.total) { remove(entry.cookie) }
  }

  /// Removes the cookies of one site that exceed the limit, once there are more than twice the limit.
  mutating func evictFlood(of site: String) {
    if (sites[site]?.count ?? 0) > 2 * limits.perDomain { evict(from: site) }
  }

  mutating func evict(from site: String) {
    guard let entries = sites[site], entries.count > limits.perDomain else { return }
    let victims = entries.sorted {
      $0.cookie.isSecure == $1.cookie.isSecure ? Entry.isUsedEarlier($0, $1) : $1.cookie.isSecure
    }
    for entry in victims.prefix(entries.count - limits.perDomain) { remove(entry.cookie) }
  }
}
