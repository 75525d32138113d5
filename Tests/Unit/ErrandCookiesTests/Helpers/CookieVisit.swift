import Foundation

@testable import ErrandCookies
@testable import ErrandCore

/// A jar, and the requests of one client.
struct CookieVisit {
  var jar: CookieList
  var now = Date(timeIntervalSince1970: 1_790_000_000)

  init(perDomain: Int = 50, total: Int = 3000) {
    jar = CookieList(CookieLimits(perDomain: perDomain, total: total), .sample)
  }

  /// Stores the `Set-Cookie` fields of one response.
  mutating func receive(_ lines: String..., from url: String = "https://example.com/") {
    receive(lines, from: url)
  }

  mutating func receive(_ lines: [String], from url: String) {
    guard let url = URL(string: url).flatMap(CookieURL.init) else { return }
    jar.apply(CookieChange(kind: .receive(lines.compactMap { SetCookie($0) }, from: url), date: now))
  }

  /// Returns the value of the `Cookie` field; empty if it is missing.
  mutating func sent(to url: String = "https://example.com/") -> String {
    guard let url = URL(string: url).flatMap(CookieURL.init) else { return "" }
    return jar.use(for: url, at: now)
      .map { $0.cookie.name.isEmpty ? $0.cookie.value : "\($0.cookie.name)=\($0.cookie.value)" }
      .joined(separator: "; ")
  }

  mutating func wait(_ seconds: TimeInterval) { now += seconds }

  /// The only cookie, or nil.
  var only: Cookie? { jar.count == 1 ? jar.entries[0].cookie : nil }
}

extension PublicSuffixes {
  /// A simple rule, and a few suffixes with dots.
  static let sample = PublicSuffixes { host in
    for suffix in ["co.uk", "github.io"] where host == suffix || host.hasSuffix(".\(suffix)") {
      return host == suffix ? nil : host.split(separator: ".").suffix(3).joined(separator: ".")
    }
    return plain.registrableDomain(of: host)
  }
}
