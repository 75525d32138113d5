import Foundation
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite struct CookieURLTests {
  private func url(_ text: String) throws -> CookieURL {
    let url = try #require(URL(string: text))
    return try #require(CookieURL(url))
  }

  @Test(arguments: [
    ("https://example.com", "/"), ("https://example.com/", "/"), ("https://example.com/a", "/"),
    ("https://example.com/a/", "/a"), ("https://example.com/a/b", "/a"), ("https://example.com/a/b/", "/a/b"),
    ("https://example.com//", "/"), ("https://example.com//a", "/"), ("https://example.com/a?x=/b/c", "/"),
    ("https://example.com/a/b#/c/d", "/a"), ("https://example.com/a%2Fb/c", "/a%2Fb"),
    ("https://example.com/é/b", "/%C3%A9"), ("https://example.com/a;b/c", "/a;b"),
  ])
  func `the default path is up to the last slash, and never empty`(_ text: String, _ path: String) throws {
    #expect(try url(text).defaultPath == path)
  }

  @Test(arguments: [
    ("https://EXAMPLE.com:444/", "example.com", true), ("HTTPS://example.com", "example.com", true),
    ("http://example.com", "example.com", false), ("http://localhost:8080/", "localhost", true),
    ("http://127.0.0.1/", "127.0.0.1", true), ("http://[::1]:80/", "::1", true),
    ("http://127.0.0.2/", "127.0.0.2", false),
    ("http://localhost.example.com/", "localhost.example.com", false),
    ("http://a.localhost/", "a.localhost", false), ("http://user@example.com/", "example.com", false),
    ("http://[::2]/", "::2", false),
  ])
  func `https is secure, and so is localhost`(_ text: String, _ host: String, _ isSecure: Bool) throws {
    let url = try url(text)
    #expect(url.host == host)
    #expect(url.isSecure == isSecure)
  }

  @Test(arguments: [
    ("https://b\u{FC}cher.example/", "xn--bcher-kva.example"), ("https://127.1/", "127.0.0.1"),
    ("https://[0:0::1]/", "::1"),
  ])
  func `a host is normalized`(_ text: String, _ host: String) throws {
    #expect(try url(text).host == host)
  }

  @Test func `the domain of a cookie may be an international name`() async throws {
    #expect(SetCookie("a=b; Domain=.B\u{DC}cher.Example")?.domain == "xn--bcher-kva.example")
    let store = CookieStore()
    try await store.set(Cookie("a", "b", domain: "b\u{FC}cher.example", isHostOnly: false))
    let url = try #require(URL(string: "https://www.xn--bcher-kva.example/"))
    #expect(store.cookies(for: url).map(\.domain) == ["xn--bcher-kva.example"])
  }

  @Test func `a URL without a host, or with a host or a path that is too long, has no cookies`() throws {
    let host = String(repeating: "a", count: 251)
    let path = String(repeating: "/1234567", count: 512)
    for (text, hasCookies) in [
      ("file:///a", false), ("/a", false), ("mailto:a@b.com", false), ("https://\(host).com/", true),
      ("https://a\(host).com/", false), ("https://a.com\(path)", true), ("https://a.com\(path)/", false),
    ] {
      let url = try #require(URL(string: text))
      #expect((CookieURL(url) != nil) == hasCookies)
    }
  }

  @Test(arguments: [
    ("example.com", "example.com", true), ("a.example.com", "example.com", true),
    ("a.b.example.com", "example.com", true), ("aexample.com", "example.com", false),
    ("example.com", "a.example.com", false), ("example.com", "com", true),
    ("example.com.", "example.com", false),
    ("1.2.3.4", "1.2.3.4", true), ("1.2.3.4", "3.4", false), ("1.2.3.4", "2.3.4", false),
    ("a.1.2.3.4", "1.2.3.4", false), ("::1", "::1", true), ("::1", "1", false), ("0x7f.1", "1", false),
    ("a.0x7f", "0x7f", false), ("a.0xfg", "0xfg", true), ("example.com", "", false),
    ("e\u{301}.com", "\u{e9}.com", false),
  ])
  func `a host matches its domain and the domains above it, and an address only itself`(
    _ host: String, _ domain: String, _ isMatch: Bool
  ) {
    #expect(host.isDomain(in: domain) == isMatch)
  }

  @Test(arguments: [
    ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
    ("/ab", "/a", false), ("/a", "/a/", false), ("/a/b", "/a/", true), ("/A", "/a", false),
    ("/a%2Fb", "/a", false), ("/", "/a", false), ("/a//b", "/a/", true), ("/e\u{301}", "/\u{e9}", false),
    ("/a\u{301}", "/a", false),
  ])
  func `a path matches itself and the paths above it, at a slash`(
    _ path: String, _ above: String, _ isMatch: Bool
  ) {
    #expect(path.isPath(in: above) == isMatch)
  }

  @Test func `a path is matched without a query`() throws {
    let cookie = Cookie("a", "b", domain: "example.com", path: "/x")
    #expect(try url("https://example.com/x?y").isMatched(by: cookie))
    #expect(try url("https://example.com/x#y").isMatched(by: cookie))
    #expect(try !url("https://example.com?/x").isMatched(by: cookie))
  }
}

@Suite struct PublicSuffixesTests {
  @Test(arguments: [
    ("example.com", "example.com"), ("a.b.example.com", "example.com"), ("com", nil), ("localhost", nil),
    ("", nil), (".", nil), (".com", nil), ("a..com", nil), ("example.com.", nil), ("1.2.3.4", nil),
    ("::1", nil),
    ("a.0x1", nil),
  ])
  func `a host that is not a domain name has no registrable domain`(_ host: String, _ expected: String?) {
    #expect(PublicSuffixes.plain.registrableDomain(of: host) == expected)
    #expect(PublicSuffixes.system.registrableDomain(of: host) == expected)
  }

  #if os(Linux)
    @Test(arguments: [
      ("a.example.co.uk", "example.co.uk"), ("co.uk", nil), ("a.github.io", "a.github.io"),
      ("github.io", nil),
      ("b.a.github.io", "a.github.io"), ("www.ck", "www.ck"), ("a.ck", nil), ("b.a.ck", "b.a.ck"),
      ("kawasaki.jp", nil), ("a.kawasaki.jp", nil), ("city.kawasaki.jp", "city.kawasaki.jp"),
      ("a.intranet", "a.intranet"), ("xn--55qx5d.cn", nil), ("a.xn--55qx5d.cn", "a.xn--55qx5d.cn"),
    ])
    func `on Linux the list of public suffixes is available`(_ host: String, _ expected: String?) {
      #expect(PublicSuffixes.system.registrableDomain(of: host) == expected)
    }
  #endif
}
