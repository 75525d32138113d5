import Foundation
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite struct CookieCheckTests {
  private let good = Cookie("a", "b", domain: "example.com")

  private func changed(_ change: (inout Cookie) -> Void) -> Cookie {
    var cookie = good
    change(&cookie)
    return cookie
  }

  @Test func `a cookie in a form that servers set has no problem`() {
    #expect(good.problem == nil)
    #expect(changed { $0.name = "" }.problem == nil)
    #expect(changed { $0.value = "" }.problem == nil)
    #expect(changed { $0.value = "\"x=y, \t{z}\"" }.problem == nil)
    #expect(changed { $0.value = String(repeating: "x", count: 4095) }.problem == nil)
    #expect(changed { $0.path = "/a;b/\u{e9}" }.problem == nil)
    for domain in ["::1", "1.2.3.4", "localhost", "a_b.example.com", "xn--bcher-kva.de", "b%c3.de"] {
      #expect(changed { $0.domain = domain }.problem == nil)
    }
  }

  @Test func `a cookie that would not be one pair of a Cookie field has a problem`() {
    #expect(changed { ($0.name, $0.value) = ("", "") }.problem != nil)
    for text in ["a;b", "a\r\nb", "a\0b", "a\u{7F}", " a", "a ", "\ta", "a\t"] {
      #expect(changed { $0.name = text }.problem != nil)
      #expect(changed { $0.value = text }.problem != nil)
    }
    #expect(changed { $0.name = "a=b" }.problem != nil)
    #expect(changed { $0.value = String(repeating: "x", count: 4096) }.problem != nil)
  }

  @Test func `a cookie without a host or a path has a problem`() {
    for domain in [
      "", ".example.com", "Example.com", "exa mple.com", "b\u{e9}.de", "a/b", "a\nb", "[::1]", "a@b",
      String(repeating: "a", count: 256),
    ] {
      #expect(changed { $0.domain = domain }.problem != nil)
    }
    for path in ["", "a", "a/b", "/\n", "/\0", "/" + String(repeating: "x", count: 4096)] {
      #expect(changed { $0.path = path }.problem != nil)
    }
  }

  @Test func `a cookie that its prefix or SameSite does not allow has a problem`() {
    #expect(changed { $0.name = "__Host-a" }.problem == nil)
    #expect(changed { ($0.name, $0.path) = ("__host-a", "/x") }.problem != nil)
    #expect(changed { ($0.name, $0.isHostOnly) = ("__host-a", false) }.problem != nil)
    #expect(changed { ($0.name, $0.isSecure) = ("__HOST-a", false) }.problem != nil)
    #expect(changed { ($0.name, $0.path) = ("__secure-a", "/x") }.problem == nil)
    #expect(changed { ($0.name, $0.isSecure) = ("__secure-a", false) }.problem != nil)
    #expect(changed { ($0.name, $0.value) = ("", "__Host-a=b") }.problem != nil)
    #expect(changed { ($0.name, $0.value) = ("", "__secure-") }.problem != nil)
    #expect(changed { $0.sameSite = .noRestriction }.problem == nil)
    #expect(changed { ($0.sameSite, $0.isSecure) = (.noRestriction, false) }.problem != nil)
    #expect(changed { ($0.sameSite, $0.isSecure) = (.lax, false) }.problem == nil)
  }

  @Test func `no description shows a value`() throws {
    let secret = "s3cr3t-value"
    let cookie = Cookie("sid", secret, domain: "example.com", isHostOnly: false)
    let nameless = Cookie("", secret, domain: "example.com")
    let received = try #require(SetCookie("sid=\(secret)"))
    let entry = CookieList.Entry(cookie, created: .now, received: .now, used: .now)
    var jar = CookieList(CookieLimits(), .sample)
    jar.load(entry)
    let change = CookieChange(kind: .receive([received], from: try url()), date: .now)
    for value in [cookie, nameless, received, entry, jar, change, CookieError(nameless, "x")] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains(secret)) }
    }
    #expect("\(cookie)" == "Cookie(sid for *.example.com/)")
    #expect("\(nameless)" == "Cookie((no name) for example.com/)")
    #expect("\(received)" == "SetCookie(sid)")
  }

  private func url() throws -> CookieURL {
    let url = try #require(URL(string: "https://example.com/"))
    return try #require(CookieURL(url))
  }
}
