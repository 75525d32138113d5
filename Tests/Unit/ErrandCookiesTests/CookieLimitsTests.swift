import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite struct CookieLimitsTests {
  private func lines(_ names: some Sequence<Int>, _ attributes: String = "") -> [String] {
    names.map { "c\($0)=\($0)\(attributes)" }
  }

  @Test func `one domain has at most 50 cookies, and loses the least recently used first`() {
    var visit = CookieVisit()
    visit.receive(lines(0..<50), from: "https://example.com/")
    #expect(visit.jar.count == 50)
    visit.wait(1)
    visit.receive(["d=1; Path=/x", "c0=again"], from: "https://example.com/")
    #expect(visit.jar.count == 50)
    let names = visit.jar.entries.map(\.cookie.name)
    #expect(names.contains("c0"))
    #expect(!names.contains("c1"))
    #expect(names.contains("c2"))
    #expect(names.contains("d"))
  }

  @Test func `sending a cookie counts as its use`() {
    var visit = CookieVisit(perDomain: 3)
    visit.receive("a=1; Path=/x", "b=2; Path=/y", "c=3; Path=/z")
    visit.wait(1)
    #expect(visit.sent(to: "https://example.com/x") == "a=1")
    visit.wait(1)
    visit.receive("d=4")
    #expect(visit.jar.entries.map(\.cookie.name) == ["a", "c", "d"])
  }

  @Test func `a clock that is set back does not make a cookie older`() {
    var visit = CookieVisit(perDomain: 2)
    visit.receive("a=1; Path=/x", "b=2; Path=/y")
    visit.wait(10)
    _ = visit.sent(to: "https://example.com/x")
    visit.wait(-9)
    _ = visit.sent(to: "https://example.com/x")
    _ = visit.sent(to: "https://example.com/y")
    visit.wait(20)
    visit.receive("c=3")
    #expect(visit.jar.entries.map(\.cookie.name) == ["a", "c"])
  }

  @Test func `the hosts of a domain share its limit, and other domains have separate limits`() {
    var visit = CookieVisit(perDomain: 3)
    visit.receive(lines(0..<3), from: "https://a.example.com/")
    visit.receive(lines(0..<3), from: "https://b.github.io/")
    visit.receive(lines(0..<3), from: "https://c.github.io/")
    visit.wait(1)
    visit.receive(lines(0..<2), from: "https://b.example.com/")
    #expect(visit.sent(to: "https://a.example.com/") == "c2=2")
    #expect(visit.sent(to: "https://b.example.com/") == "c0=0; c1=1")
    #expect(visit.sent(to: "https://b.github.io/") == "c0=0; c1=1; c2=2")
    #expect(visit.jar.count == 9)
  }

  @Test func `insecure cookies are evicted before secure ones`() {
    var visit = CookieVisit(perDomain: 3)
    visit.receive("a=1; Secure", "b=2; Secure")
    visit.wait(1)
    visit.receive("c=3", from: "http://example.com/")
    visit.wait(1)
    visit.receive("d=4; Secure")
    #expect(visit.sent() == "a=1; b=2; d=4")
    visit.wait(1)
    // A flood over http removes no secure cookie, and then even its own cookies are not kept.
    visit.receive(lines(0..<100), from: "http://example.com/")
    #expect(visit.sent() == "a=1; b=2; d=4")
    visit.wait(1)
    visit.receive("e=5; Secure; Path=/x", from: "https://www.example.com/")
    #expect(visit.sent() == "b=2; d=4")
  }

  @Test func `expired cookies are removed before all others`() {
    var visit = CookieVisit(perDomain: 3, total: 4)
    visit.receive("a=1", "b=2", "c=3; Secure; Max-Age=5")
    visit.receive("a=1; Max-Age=5", from: "https://example.org/")
    visit.wait(5)
    visit.receive("d=4")
    #expect(visit.sent() == "a=1; b=2; d=4")
    #expect(visit.jar.count == 3)
  }

  @Test func `there are at most 3000 cookies, and the least recently used are removed first`() {
    var visit = CookieVisit()
    for site in 0..<60 {
      visit.receive(lines(0..<50), from: "https://s\(site).com/")
      visit.wait(1)
    }
    #expect(visit.jar.count == 3000)
    _ = visit.sent(to: "https://s0.com/")
    visit.wait(1)
    visit.receive(lines(0..<50), from: "https://new.com/")
    #expect(visit.jar.count == 3000)
    #expect(visit.sent(to: "https://s1.com/") == "")
    for site in ["s0", "s2", "new"] { #expect(visit.sent(to: "https://\(site).com/").contains("c49=49")) }
  }

  @Test func `invalid limits are replaced by the nearest valid ones`() {
    #expect(CookieLimits(perDomain: 0, total: -5).clamped == CookieLimits(perDomain: 1, total: 1))
    let most = CookieLimits(perDomain: .max, total: .max).clamped
    #expect(most == CookieLimits(perDomain: 1_000_000, total: 1_000_000))
    #expect(CookieLimits().clamped == CookieLimits(perDomain: 50, total: 3000))
  }

  @Test func `entries beyond the limits are dropped when a file is loaded`() {
    var visit = CookieVisit(perDomain: 1000, total: 1000)
    visit.receive(lines(0..<900), from: "https://example.com/")
    visit.wait(1)
    visit.receive(lines(0..<10), from: "https://example.org/")
    var jar = CookieList(CookieLimits(perDomain: 20, total: 25), .sample)
    for entry in visit.jar.entries { jar.load(entry) }
    jar.evict(at: visit.now)
    #expect(jar.count == 25)
    #expect(jar.entries.count == 25)
    #expect(jar.entries.filter { $0.cookie.domain == "example.org" }.count == 10)
  }

  @Test func `a flood of cookies from one site is limited while it arrives`() throws {
    var jar = CookieList(CookieLimits(perDomain: 10), .sample)
    let text = try #require(URL(string: "https://example.com/"))
    let url = try #require(CookieURL(text))
    let now = Date(timeIntervalSince1970: 1_790_000_000)
    for number in 0..<1000 {
      jar.receive(try #require(SetCookie("c\(number)=1")), from: url, at: now)
      #expect(jar.count <= 20)
    }
    jar.evict(at: now)
    #expect(jar.entries.map(\.cookie.name) == (990..<1000).map { "c\($0)" })
  }
}
