import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CookieList {
  /// Stores a cookie that a response sets, if the response may set it (section 5.7).
  mutating func receive(_ received: SetCookie, from url: CookieURL, at now: Date) {
    guard let cookie = cookie(received, from: url, at: now), cookie.problem == nil,
      url.isSecure || !(cookie.isSecure || isHidingSecureCookie(cookie))
    else { return }
    keep(cookie, at: now)
  }

  /// Returns the cookie; nil if a cookie with this domain may not be set from that URL.
  private func cookie(_ received: SetCookie, from url: CookieURL, at now: Date) -> Cookie? {
    let domain = received.domain ?? url.host
    let site = suffixes.registrableDomain(of: url.host)
    // A host without a registrable domain can set cookies for itself only, and so can a server that names its
    // public suffix.
    let isHostOnly = received.domain == nil || (site == nil && ASCII.areSame(domain, url.host))
    if !isHostOnly {
      guard let site, url.host.isDomain(in: domain), domain.isDomain(in: site) else { return nil }
    }
    let cookie = Cookie(
      received.name, received.value, domain: domain, isHostOnly: isHostOnly,
      path: received.path ?? url.defaultPath, expires: received.expiry(at: now), isSecure: received.isSecure,
      isHTTPOnly: received.isHTTPOnly, sameSite: received.sameSite)
    // The path has to be named, even if it is the default path.
    return cookie.isForOneHost && received.path == nil ? nil : cookie
  }

  /// Returns true if the cookie, which came over an unencrypted connection, would be sent along with a secure
  /// one of the same name, and could be mistaken for it (section 5.7, step 16).
  private func isHidingSecureCookie(_ cookie: Cookie) -> Bool {
    (sites[site(of: cookie.domain)] ?? []).contains { entry in
      let other = entry.cookie
      return other.isSecure && ASCII.areSame(other.name, cookie.name)
        && (other.domain.isDomain(in: cookie.domain) || cookie.domain.isDomain(in: other.domain))
        && cookie.path.isPath(in: other.path)
    }
  }
}
