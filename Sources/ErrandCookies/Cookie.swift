import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A cookie (RFC 6265bis). No description shows its value.
///
/// ```swift
/// let cookie = Cookie("theme", "dark", domain: "example.com")
/// try await store.set(cookie)
/// ```
public struct Cookie: Sendable, Hashable {
  /// The requests from other sites with which a browser sends a cookie (section 5.6.7).
  ///
  /// A browser compares the site of the page with that of the request. A client has no page, so none of its
  /// requests is cross-site, and a `CookieStore` sends every cookie, whatever its `SameSite`. The value is
  /// stored for inspection only.
  public enum SameSite: String, Sendable, Hashable, Codable {
    /// A browser sends the cookie with requests from its own site only.
    case strict = "Strict"
    /// A browser also sends the cookie when a user follows a link from another site.
    case lax = "Lax"
    /// A browser sends the cookie with all requests. The cookie must be secure.
    case noRestriction = "None"
  }

  /// The name. It is empty for a cookie that has only a value (`Set-Cookie: token`).
  public var name: String
  /// The value as the server wrote it, including quotation marks.
  public var value: String
  /// The host that the cookie is sent to, in lower case. Unless `isHostOnly` is true, it is also sent to all
  /// hosts below.
  public var domain: String
  /// True if the cookie is sent to no host below `domain`, because it was set without the attribute `Domain`.
  public var isHostOnly: Bool
  /// The path that the cookie is sent to, with all paths below it.
  public var path: String
  /// The date after which the cookie is no longer sent; nil for a session cookie.
  public var expires: Date?
  /// True if the cookie is sent only over https, or to this machine (`localhost`, `127.0.0.1`, `::1`).
  public var isSecure: Bool
  /// True if a browser hides the cookie from scripts. It makes no difference to a client.
  public var isHTTPOnly: Bool
  /// The attribute `SameSite`; nil if it is missing or unknown.
  public var sameSite: SameSite?

  /// Creates a cookie. `CookieStore.set(_:)` checks it.
  /// - Parameters:
  ///   - name: The name, without `=` and `;`.
  ///   - value: The value, without `;`.
  ///   - domain: The host, in lower case.
  ///   - isHostOnly: False to send it to all hosts below `domain`, too. Default: true.
  ///   - path: The path, which begins with `/`. Default: `/`.
  ///   - expires: The date after which it is no longer sent. Default: nil, for a session cookie.
  ///   - isSecure: False to send it over plain http, too. Default: true.
  ///   - isHTTPOnly: True if browsers must hide it from scripts. Default: false.
  ///   - sameSite: The attribute `SameSite`. Default: nil.
  public init(
    _ name: String, _ value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
    expires: Date? = nil, isSecure: Bool = true, isHTTPOnly: Bool = false, sameSite: SameSite? = nil
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.isHostOnly = isHostOnly
    self.path = path
    self.expires = expires
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
    self.sameSite = sameSite
  }

  /// The name for a description, shortened if it is long. A value without a name is not shown, because it is
  /// a secret.
  var shownName: String {
    if name.isEmpty { return "(no name)" }
    return name.utf8.count > 100 ? String(decoding: name.utf8.prefix(100), as: UTF8.self) + "…" : name
  }

  func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

  /// Returns true for the cookie that replaces this one: octet by octet the same name, domain and path, and
  /// both host-only or neither (section 5.7, step 23).
  func isReplaced(by other: Cookie) -> Bool {
    ASCII.areSame(name, other.name) && isHostOnly == other.isHostOnly
      && ASCII.areSame(domain, other.domain) && ASCII.areSame(path, other.path)
  }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    LogText.line("Cookie(\(shownName) for \(isHostOnly ? "" : "*.")\(domain)\(path))")
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}
