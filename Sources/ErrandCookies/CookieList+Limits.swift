#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How many cookies are kept (RFC 6265bis, section 6.1). Beyond that, those that have expired are removed
/// first, and then the least recently used; where one domain has too many, those that are not secure precede
/// those that are.
public struct CookieLimits: Sendable, Hashable {
  /// The most cookies of one registrable domain, such as `example.com` with all its hosts. Default: 50.
  public var perDomain: Int
  /// The most cookies in all. Default: 3000. Each takes up to 9 KB of memory; most take less than 1 KB.
  public var total: Int

  /// - Parameters:
  ///   - perDomain: From 1 to 1,000,000. Default: 50.
  ///   - total: From 1 to 1,000,000. Default: 3000.
  public init(perDomain: Int = 50, total: Int = 3000) {
    self.perDomain = perDomain
    self.total = total
  }

  /// The same, with numbers that make sense.
  var clamped: CookieLimits {
    CookieLimits(perDomain: min(max(1, perDomain), 1_000_000), total: min(max(1, total), 1_000_000))
  }
}

extension CookieList {
  mutating func removeExpired(at now: Date) { remove { $0.cookie.isExpired(at: now) } }

  /// Removes what is more than the limits allow.
  mutating func evict(at now: Date) {
    removeExpired(at: now)
    for site in sites.keys { evict(from: site) }
    guard count > limits.total else { return }
    let entries = sites.values.joined().sorted(by: Entry.isUsedEarlier)
    for entry in entries.prefix(count - limits.total) { remove(entry.cookie) }
  }

  /// Removes what is more than the limit allows of one site, once there is much more.
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
