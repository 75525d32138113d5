import Foundation
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite struct CookieJarTests {
  private var visit = CookieVisit()

  @Test mutating func `a cookie without a domain is sent only to its host`() {
    visit.receive("a=1", from: "https://www.example.com/")
    #expect(visit.sent(to: "https://www.example.com/") == "a=1")
    #expect(visit.sent(to: "https://www.example.com:8443/") == "a=1")
    for host in ["example.com", "a.www.example.com", "example.org", "wwwexample.com", "www.example.com."] {
      #expect(visit.sent(to: "https://\(host)/") == "")
    }
  }

  @Test mutating func `a cookie with a domain is sent to all hosts in it`() {
    visit.receive("a=1; Domain=.Example.com", from: "https://www.example.com/")
    for host in ["example.com", "www.example.com", "a.b.example.com", "EXAMPLE.com"] {
      #expect(visit.sent(to: "https://\(host)/") == "a=1")
    }
    #expect(visit.sent(to: "https://badexample.com/") == "")
    #expect(visit.only?.domain == "example.com")
    #expect(visit.only?.isHostOnly == false)
  }

  @Test(arguments: [
    "www.example.com", "a.example.com", "example.org", "com", ".", "..example.com", "example.com.", ".com",
    "ample.com", "www..example.com", "\"example.com\"", "example.com:443", "https://example.com",
    "éxample.com",
    "*.example.com", " . example.com", "www.example.com .", "%65xample.com", "exam\u{212A}le.com",
  ])
  mutating func `a cookie for a domain that does not contain its host is refused`(_ domain: String) {
    visit.receive("a=1; Domain=\(domain)", from: "https://example.com/")
    #expect(visit.jar.count == 0)
  }

  @Test mutating func `a cookie with an empty domain is only for its host`() {
    visit.receive("a=1; Domain=", "b=2; Domain=example.org; Domain=", from: "https://www.example.com/")
    #expect(visit.sent(to: "https://www.example.com/") == "a=1; b=2")
    #expect(visit.sent(to: "https://a.www.example.com/") == "")
  }

  @Test(arguments: ["com", "co.uk", "github.io"])
  mutating func `a host cannot set a cookie for a public suffix`(_ suffix: String) {
    visit.receive("a=1; Domain=\(suffix)", from: "https://a.b.\(suffix)/")
    #expect(visit.jar.count == 0)
    visit.receive("a=1; Domain=b.\(suffix)", from: "https://a.b.\(suffix)/")
    #expect(visit.sent(to: "https://c.b.\(suffix)/") == "a=1")
  }

  @Test mutating func `a public suffix can set a cookie for its own host`() {
    visit.receive("a=1; Domain=github.io", from: "https://github.io/")
    #expect(visit.sent(to: "https://github.io/") == "a=1")
    #expect(visit.sent(to: "https://x.github.io/") == "")
    #expect(visit.only?.isHostOnly == true)
    visit.receive("a=2; Domain=localhost", from: "http://localhost/")
    #expect(visit.sent(to: "http://localhost/") == "a=2")
    #expect(visit.sent(to: "http://a.localhost/") == "")
  }

  @Test func `a domain above the registrable one is refused, even if it is not a public suffix`() {
    // Such as under `*.kawasaki.jp`, by the letter of the list.
    let suffixes = PublicSuffixes { $0 == "x.jp" ? "x.jp" : $0.hasSuffix(".c.b.x.jp") ? "d.c.b.x.jp" : nil }
    var jar = CookieList(CookieLimits(), suffixes)
    guard let url = URL(string: "https://d.c.b.x.jp/").flatMap(CookieURL.init),
      let above = SetCookie("a=1; Domain=x.jp"), let own = SetCookie("a=1; Domain=d.c.b.x.jp")
    else { return #expect(Bool(false)) }
    jar.receive(above, from: url, at: .now)
    #expect(jar.count == 0)
    jar.receive(own, from: url, at: .now)
    #expect(jar.count == 1)
  }

  @Test(arguments: ["1.2.3.4", "[::1]", "[fe80::1%25eth0]"])
  mutating func `an address has only its own cookies`(_ host: String) {
    visit.receive("a=1", "b=2; Domain=3.4", "c=3; Domain=4", "d=4; Domain=1", from: "https://\(host)/")
    #expect(visit.sent(to: "https://\(host)/") == "a=1")
    #expect(visit.sent(to: "https://9.1.2.3.4/") == "")
    #expect(visit.only?.isHostOnly == true)
    visit.receive("a=5; Domain=1.2.3.4", from: "https://1.2.3.4/")
    #expect(visit.sent(to: "https://1.2.3.4/") == "a=5")
  }

  @Test mutating func `a cookie is sent to its path and the paths below it`() {
    visit.receive("a=1; Path=/docs", "b=2; Path=/docs/", "c=3", from: "https://example.com/docs/x")
    #expect(visit.sent(to: "https://example.com/docs") == "a=1; c=3")
    #expect(visit.sent(to: "https://example.com/docs/") == "b=2; a=1; c=3")
    #expect(visit.sent(to: "https://example.com/docs/y/z") == "b=2; a=1; c=3")
    #expect(visit.sent(to: "https://example.com/docs?x") == "a=1; c=3")
    for path in ["", "/", "/doc", "/docsx", "/Docs", "/%64ocs"] {
      #expect(visit.sent(to: "https://example.com\(path)") == "")
    }
  }

  @Test mutating func `cookies with longer paths are sent first, and older ones before newer ones`() {
    visit.receive("a=1; Path=/", "b=2; Path=/x", "c=3; Path=/")
    visit.wait(1)
    visit.receive("d=4; Path=/x/y", "e=5; Path=/x", "a=6; Path=/")
    #expect(visit.sent(to: "https://example.com/x/y") == "d=4; b=2; e=5; a=6; c=3")
  }

  @Test mutating func `a clock that is set back does not change the order`() {
    visit.receive("a=1")
    visit.wait(-100)
    visit.receive("b=2", "c=3")
    #expect(visit.sent() == "a=1; b=2; c=3")
  }

  @Test mutating func `a cookie replaces one with the same name, domain and path`() {
    visit.receive("a=1")
    visit.receive("a=2")
    #expect(visit.sent() == "a=2")
    visit.receive("A=3", "a=4; Path=/x", "a=5; Domain=example.com")
    #expect(visit.sent(to: "https://example.com/x") == "a=4; a=2; A=3; a=5")
    #expect(visit.jar.count == 4)
  }

  @Test mutating func `names and paths are compared octet by octet`() {
    visit.receive("\u{e9}=1; Path=/", "e\u{301}=2; Path=/", "a=3; Path=/\u{e9}", "a=4; Path=/e\u{301}")
    #expect(visit.jar.count == 4)
  }

  @Test mutating func `an expired cookie removes the one that it replaces`() {
    visit.receive("a=1", "b=2", "c=3; Path=/x")
    visit.receive(
      "a=; Max-Age=0", "b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "c=; Max-Age=0; Path=/", "d=; Max-Age=-1")
    #expect(visit.sent(to: "https://example.com/x") == "c=3")
    #expect(visit.jar.count == 1)
  }

  @Test mutating func `a cookie is sent until it expires`() {
    visit.receive("a=1; Max-Age=10", "b=2")
    visit.wait(9.9)
    #expect(visit.sent() == "a=1; b=2")
    visit.wait(0.1)
    #expect(visit.sent() == "b=2")
    visit.receive("c=3")
    #expect(visit.jar.count == 2)
  }

  @Test mutating func `a cookie that replaces an expired one counts as new`() {
    visit.receive("a=1; Max-Age=10", "b=2")
    visit.wait(10)
    visit.receive("a=3")
    #expect(visit.sent() == "b=2; a=3")
  }

  @Test mutating func `no cookie is kept for more than 400 days`() {
    visit.receive("a=1; Max-Age=99999999999", "b=2; Expires=Fri, 31 Dec 9999 23:59:59 GMT")
    visit.wait(400 * 86_400 - 1)
    #expect(visit.sent() == "a=1; b=2")
    visit.wait(1)
    #expect(visit.sent() == "")
  }

  @Test mutating func `SameSite is stored, and every cookie is sent`() {
    visit.receive(
      "a=1; SameSite=Strict", "b=2; SameSite=lax", "c=3; SameSite=None; Secure", "d=4; SameSite=x")
    #expect(visit.sent() == "a=1; b=2; c=3; d=4")
    #expect(visit.jar.entries.map(\.cookie.sameSite) == [.strict, .lax, .noRestriction, nil])
  }

  @Test mutating func `SameSite=None without Secure is refused`() {
    visit.receive("a=1; SameSite=None", "b=2; SameSite=None; SameSite=Lax")
    #expect(visit.sent() == "b=2")
  }

  @Test mutating func `a cookie without a name is sent as its value`() {
    visit.receive("token", "=other", "a=1", "b=")
    #expect(visit.sent() == "other; a=1; b=")
  }

  @Test mutating func `HttpOnly has no effect`() {
    visit.receive("a=1; HttpOnly")
    visit.receive("a=2")
    #expect(visit.sent() == "a=2")
  }
}

@Suite struct SecureCookieTests {
  private var visit = CookieVisit()

  @Test mutating func `a secure cookie is not sent over http`() {
    visit.receive("a=1; Secure; Domain=example.com", "b=2")
    #expect(visit.sent(to: "https://example.com/") == "a=1; b=2")
    #expect(visit.sent(to: "http://example.com/") == "b=2")
    #expect(visit.sent(to: "http://www.example.com/") == "")
  }

  @Test mutating func `a secure cookie cannot be set over http`() {
    visit.receive("a=1; Secure", from: "http://example.com/")
    #expect(visit.jar.count == 0)
  }

  @Test(arguments: ["localhost", "127.0.0.1", "[::1]", "0x7f.1"])
  mutating func `localhost can set secure cookies over http, and is sent them`(_ host: String) {
    visit.receive("__Host-a=1; Secure; Path=/", from: "http://\(host):8080/")
    #expect(visit.sent(to: "http://\(host)/") == "__Host-a=1")
  }

  @Test(arguments: ["127.0.0.2", "localhost.com", "a.localhost", "[::2]", "0x7f.2", "127.0.0.1.com"])
  mutating func `other hosts cannot set secure cookies over http`(_ host: String) {
    visit.receive("a=1; Secure", from: "http://\(host)/")
    #expect(visit.jar.count == 0)
  }

  @Test mutating func `a cookie from http neither replaces nor removes a secure one`() {
    visit.receive("a=1; Secure; Path=/")
    visit.receive("a=2; Path=/", "a=; Max-Age=0; Path=/", from: "http://example.com/")
    #expect(visit.sent() == "a=1")
    visit.receive("a=3; Path=/")
    #expect(visit.sent() == "a=3")
    visit.receive("a=4; Path=/", from: "http://example.com/")
    #expect(visit.sent() == "a=4")
  }

  @Test mutating func `a cookie from http cannot shadow a secure one, on any host of its domain`() {
    visit.receive("a=1; Secure; Path=/login; Domain=example.com", from: "https://www.example.com/")
    for path in ["/login", "/login/en"] {
      visit.receive("a=2; Path=\(path); Domain=example.com", from: "http://x.example.com/")
      visit.receive("a=2; Path=\(path)", from: "http://www.example.com/")
      visit.receive("a=2; Path=\(path)", from: "http://example.com/")
    }
    #expect(visit.jar.count == 1)
    visit.receive("b=3; Path=/login", "a=4; Path=/", "a=5; Path=/loginx", from: "http://www.example.com/")
    #expect(visit.jar.count == 4)
  }

  @Test mutating func `a domain cookie from http cannot shadow a secure one of a host in the domain`() {
    visit.receive("a=1; Secure; Path=/", from: "https://www.example.com/")
    visit.receive("a=2; Path=/; Domain=example.com", from: "http://x.example.com/")
    visit.receive("a=2; Path=/", from: "http://www.example.com/")
    #expect(visit.jar.count == 1)
    visit.receive("a=3; Path=/", from: "http://x.example.com/")
    #expect(visit.sent(to: "https://x.example.com/") == "a=3")
    #expect(visit.sent(to: "https://www.example.com/") == "a=1")
  }

  @Test mutating func `an expired secure cookie protects nothing`() {
    visit.receive("a=1; Secure; Max-Age=10; Path=/")
    visit.wait(10)
    visit.receive("a=2; Path=/", from: "http://example.com/")
    #expect(visit.sent() == "a=2")
  }
}

@Suite struct CookiePrefixTests {
  private var visit = CookieVisit()

  @Test(arguments: ["__Secure-a", "__secure-a", "__SECURE-a", "__Secure-", "  __SeCuRe-a"])
  mutating func `a name with the prefix __Secure- requires a secure cookie, in any letter case`(
    _ name: String
  ) {
    visit.receive("\(name)=1", "\(name)=1; Path=/; Domain=example.com")
    visit.receive("\(name)=1; Secure", from: "http://example.com/")
    #expect(visit.jar.count == 0)
    visit.receive("\(name)=1; Secure; Path=/x; Domain=example.com", from: "https://www.example.com/")
    #expect(visit.jar.count == 1)
  }

  @Test(arguments: ["__Host-a", "__host-a", "__HOST-a", "__Host-", "\t__hOsT-a"])
  mutating func `a name with the prefix __Host- requires a secure cookie for one host and all paths`(
    _ name: String
  ) {
    for attributes in [
      "", "Secure", "Path=/", "Secure; Path=", "Secure; Path", "Secure; Path=/x", "Secure; Path=/; Path=x",
      "Secure; Path=/; Domain=example.com", "Secure; Path=/; Domain=.example.com", "Secure; Path=//",
    ] {
      visit.receive("\(name)=1; \(attributes)")
    }
    visit.receive("\(name)=1; Secure; Path=/", from: "http://example.com/")
    #expect(visit.jar.count == 0)
    visit.receive("\(name)=1; Secure; Path=/; Max-Age=5; HttpOnly", from: "https://example.com/x/y")
    #expect(visit.jar.count == 1)
    visit.receive("\(name)=2; Domain=; Secure; Path=/")
    #expect(visit.sent() == "\(name.trimmingCharacters(in: .whitespaces))=2")
  }

  @Test(arguments: [
    "__Secure-a=1", "__Host-a=1", "__secure-a", "__HOST-a=1", "__Host-", "  __Host-a=1",
  ])
  mutating func `a cookie without a name is refused if its value has a prefix, in any letter case`(
    _ value: String
  ) {
    visit.receive("=\(value)", "=\(value); Secure; Path=/", "= \(value); Secure; Path=/")
    #expect(visit.jar.count == 0)
  }

  @Test mutating func `a prefix counts only at the beginning of a name`() {
    visit.receive("a__Host-=1", "_Host-=2", "__Host=3", "__Secure=4", "x=__Host-a", "a=5; __Host-b=6")
    #expect(visit.jar.count == 6)
  }
}
