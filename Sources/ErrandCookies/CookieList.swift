#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Cookies, and the rules by which they are kept and sent (RFC 6265bis, draft 15, sections 5.7 and 5.8).
/// Pure.
struct CookieList: Sendable {
  /// A cookie that is kept.
  struct Entry: Sendable, Hashable {
    let cookie: Cookie
    /// When the cookie was received first; a cookie that replaces another keeps its date.
    fileprivate(set) var created: Date
    /// When this value was received.
    let received: Date
    /// When the cookie was last sent, or received.
    var used: Date

    init(_ cookie: Cookie, created: Date, received: Date, used: Date) {
      self.cookie = cookie
      self.created = created
      self.received = received
      self.used = used
    }

    /// The order of eviction: the least recently used first.
    static func isUsedEarlier(_ left: Entry, _ right: Entry) -> Bool {
      (left.used, left.created) < (right.used, right.created)
    }

    /// The order in a `Cookie` field: longer paths first, then older cookies.
    static func isSentEarlier(_ left: Entry, _ right: Entry) -> Bool {
      let (a, b) = (left.cookie.path.utf8.count, right.cookie.path.utf8.count)
      return a == b ? left.created < right.created : a > b
    }
  }

  let limits: CookieLimits
  let suffixes: PublicSuffixes
  /// By registrable domain, or by host if there is none: all cookies that a host may be sent are together.
  private(set) var sites: [String: [Entry]] = [:]
  private(set) var count = 0
  /// The last date of creation that was given out.
  private var lastCreation = Date.distantPast

  init(_ limits: CookieLimits, _ suffixes: PublicSuffixes) {
    self.limits = limits
    self.suffixes = suffixes
  }

  /// All entries, from the oldest to the newest.
  var entries: [Entry] { sites.values.flatMap { $0 }.sorted { $0.created < $1.created } }

  func site(of domain: String) -> String { suffixes.registrableDomain(of: domain) ?? domain }

  /// Returns the entry in the place of a cookie: with its name, domain and path.
  func entry(in place: Cookie) -> Entry? {
    sites[site(of: place.domain)]?.first { $0.cookie.isReplaced(by: place) }
  }

  /// Returns the cookies to be sent, in the order in which they are sent.
  func entries(for url: CookieURL, at now: Date) -> [Entry] {
    (sites[site(of: url.host)] ?? [])
      .filter { url.isMatched(by: $0.cookie) && !$0.cookie.isExpired(at: now) }
      .sorted(by: Entry.isSentEarlier)
  }

  /// Returns the same, and records that they were used.
  mutating func use(for url: CookieURL, at now: Date) -> [Entry] {
    let (site, date) = (site(of: url.host), now.toMicroseconds)
    // Taken out, so that they are not copied.
    guard var entries = sites.removeValue(forKey: site) else { return [] }
    var found: [Entry] = []
    for index in entries.indices
    where url.isMatched(by: entries[index].cookie) && !entries[index].cookie.isExpired(at: now) {
      entries[index].used = max(entries[index].used, date)
      found.append(entries[index])
    }
    sites[site] = entries
    return found.sorted(by: Entry.isSentEarlier)
  }

  /// Takes over when the cookies of another jar were last used.
  mutating func takeUses(from other: CookieList) {
    for (site, others) in other.sites {
      guard var entries = sites.removeValue(forKey: site) else { continue }
      for (place, other) in others.enumerated() {
        // Mostly they are in the same order.
        let isHere = place < entries.count && entries[place].cookie.isReplaced(by: other.cookie)
        guard
          let index = isHere ? place : entries.firstIndex(where: { $0.cookie.isReplaced(by: other.cookie) })
        else { continue }
        entries[index].used = max(entries[index].used, other.used)
      }
      sites[site] = entries
    }
  }

  /// Puts a cookie in the place of the one that it replaces. One that has expired only removes the other.
  mutating func keep(_ cookie: Cookie, at now: Date) {
    let now = now.toMicroseconds
    // No two cookies have the same date, so their order is known after they were written and read again.
    var created = max(now, lastCreation.addingTimeInterval(1e-6).toMicroseconds)
    if let old = remove(cookie) { created = old.created } else { lastCreation = created }
    guard !cookie.isExpired(at: now) else { return }
    var cookie = cookie
    cookie.expires = cookie.expires?.toMicroseconds
    let site = site(of: cookie.domain)
    sites[site, default: []].append(Entry(cookie, created: created, received: now, used: now))
    count += 1
    // One response may set very many, and each of them is compared with all.
    evictFlood(of: site)
  }

  /// Returns false for a cookie that all hosts of a public suffix would be sent.
  func mayKeep(_ cookie: Cookie) -> Bool {
    cookie.isHostOnly || suffixes.registrableDomain(of: cookie.domain) != nil
  }

  /// Puts in an entry from elsewhere, unless its domain has become a public suffix since. Of two with the
  /// same name, domain and path the one that was received later stays.
  mutating func load(_ entry: Entry) {
    guard mayKeep(entry.cookie) else { return }
    if let other = self.entry(in: entry.cookie) {
      if other.received >= entry.received { return }
      remove(other.cookie)
    }
    let site = site(of: entry.cookie.domain)
    sites[site, default: []].append(entry)
    count += 1
    // A file of another program may have more than the limit, and each of them is compared with all.
    evictFlood(of: site)
  }

  /// Removes a cookie and those that it would replace.
  @discardableResult
  mutating func remove(_ cookie: Cookie) -> Entry? {
    let site = site(of: cookie.domain)
    guard let index = sites[site]?.firstIndex(where: { $0.cookie.isReplaced(by: cookie) }) else { return nil }
    count -= 1
    let entry = sites[site]?.remove(at: index)
    if sites[site]?.isEmpty ?? false { sites[site] = nil }
    return entry
  }

  mutating func remove(where matches: (Entry) -> Bool) {
    for (site, entries) in sites where entries.contains(where: matches) {
      let rest = entries.filter { !matches($0) }
      count -= entries.count - rest.count
      sites[site] = rest.isEmpty ? nil : rest
    }
  }

  mutating func clear() {
    sites = [:]
    count = 0
  }
}

extension Date {
  /// The same date in whole microseconds, which are read from a file as they were written.
  var toMicroseconds: Date { Date(timeIntervalSince1970: (timeIntervalSince1970 * 1e6).rounded() / 1e6) }
}
