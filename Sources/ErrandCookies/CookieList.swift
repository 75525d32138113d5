#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Cookies, and the rules for keeping and sending them (RFC 6265bis, draft 15, sections 5.7 and 5.8). Pure.
struct CookieList: Sendable {
  /// A stored cookie.
  struct Entry: Sendable, Hashable {
    let cookie: Cookie
    /// When the cookie was first received. A cookie that replaces another keeps that date.
    fileprivate(set) var created: Date
    /// When this value was received.
    let received: Date
    /// When the cookie was last sent or received.
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
  /// The entries by registrable domain, or by host if it has no registrable domain. All cookies that a host
  /// may be sent are therefore together.
  private(set) var sites: [String: [Entry]] = [:]
  private(set) var count = 0
  /// The last date of creation that was assigned.
  private var lastCreation = Date.distantPast

  init(_ limits: CookieLimits, _ suffixes: PublicSuffixes) {
    self.limits = limits
    self.suffixes = suffixes
  }

  /// All entries, from the oldest to the newest.
  var entries: [Entry] { sites.values.flatMap { $0 }.sorted { $0.created < $1.created } }

  func site(of domain: String) -> String { suffixes.registrableDomain(of: domain) ?? domain }

  /// Returns the entry that a cookie would replace: with its name, domain and path.
  func entry(in place: Cookie) -> Entry? {
    sites[site(of: place.domain)]?.first { $0.cookie.isReplaced(by: place) }
  }

  /// Returns the cookies to send, in the order in which they are sent.
  func entries(for url: CookieURL, at now: Date) -> [Entry] {
    (sites[site(of: url.host)] ?? [])
      .filter { url.isMatched(by: $0.cookie) && !$0.cookie.isExpired(at: now) }
      .sorted(by: Entry.isSentEarlier)
  }

  /// Returns the cookies to send, and records that they were used.
  mutating func use(for url: CookieURL, at now: Date) -> [Entry] {
    let (site, date) = (site(of: url.host), now.toMicroseconds)
    // Taken out of the dictionary, so that they are not copied.
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

  /// Takes over the times at which another jar's cookies were last used.
  mutating func takeUses(from other: CookieList) {
    for (site, others) in other.sites {
      guard var entries = sites.removeValue(forKey: site) else { continue }
      for (place, other) in others.enumerated() {
        // Usually both jars have the same order.
        let isHere = place < entries.count && entries[place].cookie.isReplaced(by: other.cookie)
        guard
          let index = isHere ? place : entries.firstIndex(where: { $0.cookie.isReplaced(by: other.cookie) })
        else { continue }
        entries[index].used = max(entries[index].used, other.used)
      }
      sites[site] = entries
    }
  }

  /// Stores a cookie in place of the one that it replaces. An expired cookie only removes the other.
  mutating func keep(_ cookie: Cookie, at now: Date) {
    let now = now.toMicroseconds
    // No two cookies have the same date, so that their order survives writing and reading.
    var created = max(now, lastCreation.addingTimeInterval(1e-6).toMicroseconds)
    if let old = remove(cookie) { created = old.created } else { lastCreation = created }
    guard !cookie.isExpired(at: now) else { return }
    var cookie = cookie
    cookie.expires = cookie.expires?.toMicroseconds
    let site = site(of: cookie.domain)
    sites[site, default: []].append(Entry(cookie, created: created, received: now, used: now))
    count += 1
    // One response may set very many cookies, and each of them is compared with all.
    evictFlood(of: site)
  }

  /// Returns false for a cookie that would be sent to all hosts of a public suffix.
  func mayKeep(_ cookie: Cookie) -> Bool {
    cookie.isHostOnly || suffixes.registrableDomain(of: cookie.domain) != nil
  }

  /// Adds an entry from a file, unless its domain has become a public suffix since. If an entry has the same
  /// name, domain and path, the one that was received later stays.
  mutating func load(_ entry: Entry) {
    guard mayKeep(entry.cookie) else { return }
    if let other = self.entry(in: entry.cookie) {
      if other.received >= entry.received { return }
      remove(other.cookie)
    }
    let site = site(of: entry.cookie.domain)
    sites[site, default: []].append(entry)
    count += 1
    // A file of another program may exceed the limit, and each of its cookies is compared with all.
    evictFlood(of: site)
  }

  /// Removes a cookie that has the same name, domain and path.
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
  /// The same date in whole microseconds, which survives writing and reading.
  var toMicroseconds: Date { Date(timeIntervalSince1970: (timeIntervalSince1970 * 1e6).rounded() / 1e6) }
}
