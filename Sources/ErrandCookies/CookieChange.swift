#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A change of a jar. Repeating it on the same jar has the same result, so it can be repeated on cookies that
/// another process has written meanwhile.
struct CookieChange: Sendable {
  enum Kind: Sendable {
    /// A response's `Set-Cookie` fields.
    case receive([SetCookie], from: CookieURL)
    case set(Cookie)
    /// Removes these entries, unless they have been received again since.
    case remove([CookieList.Entry])
    case clear
  }

  let kind: Kind
  let date: Date

  /// The number of cookies that the change holds in memory.
  var count: Int {
    switch kind {
    case .receive(let cookies, _): cookies.count
    case .set: 1
    case .remove(let entries): entries.count
    case .clear: 0
    }
  }
}

extension CookieList {
  mutating func apply(_ change: CookieChange) {
    let now = change.date
    removeExpired(at: now)
    switch change.kind {
    case .receive(let cookies, let url): for cookie in cookies { receive(cookie, from: url, at: now) }
    case .set(var cookie):
      let latest = now.addingTimeInterval(SetCookie.longestLifetime)
      cookie.expires = cookie.expires.map { min($0, latest) }
      keep(cookie, at: now)
    case .remove(let entries):
      for entry in entries where self.entry(in: entry.cookie)?.received == entry.received {
        remove(entry.cookie)
      }
    case .clear: clear()
    }
    evict(at: now)
  }
}
