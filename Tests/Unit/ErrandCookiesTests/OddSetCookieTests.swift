import Foundation
import Testing

@testable import ErrandCookies
@testable import ErrandCore

/// Values that servers have sent, and the cookies that browsers send back, from the cookie tests of the web
/// platform (http-state and wpt).
@Suite struct OddSetCookieTests {
  private struct Odd: CustomTestStringConvertible, Sendable {
    let lines: [String]
    let sent: String
    var testDescription: String { lines.joined(separator: " | ") }

    init(_ lines: String..., sent: String) {
      self.lines = lines
      self.sent = sent
    }
  }

  private static let names = [
    Odd("n=;  path = /", sent: "n="), Odd("=n=2", sent: "n=2"), Odd("===n=2b", sent: "==n=2b"),
    Odd("=n2c", sent: "n2c"), Odd("n =3", sent: "n=3"), Odd("   n=4", sent: "n=4"),
    Odd("\"n=5\"=x", "\"n=5", sent: "\"n=5"), Odd("n6;cool=dude", sent: "n6"),
    Odd("$Version=1; n=7", sent: "$Version=1"), Odd("n n=8", sent: "n n=8"),
    Odd("\"n9;n\"=9", sent: "\"n9"), Odd("=n=11", "n11", sent: "n11"),
    Odd("n11", "n11a", "=n11b", "n=11c", sent: "n11b; n=11c"), Odd("n=11", "n=12", sent: "n=12"),
    Odd("z=15", "a=15", sent: "z=15; a=15"), Odd("z=16, a=16", sent: "z=16, a=16"),
    Odd("A=16", "=n16", "B=16", sent: "A=16; n16; B=16"), Odd("=", sent: ""), Odd("", sent: ""),
    Odd("%74%65%73%74=20", sent: "%74%65%73%74=20"), Odd("@a=1", "#a=1", "!a=1", sent: "@a=1; #a=1; !a=1"),
  ]

  private static let values = [
    Odd("v=1, baz=qux", sent: "v=1, baz=qux"), Odd("v=\"2, baz=qux\"", sent: "v=\"2, baz=qux\""),
    Odd("v=\"3zz;pp\" ; ;", sent: "v=\"3zz"), Odd("v=\"4zz ;", sent: "v=\"4zz"),
    Odd("v=\"5zzz \"   \"ppp\"  ;", sent: "v=\"5zzz \"   \"ppp\""), Odd("v=6A\"B ;", sent: "v=6A\"B"),
    Odd("\"v8\\\"HHH\"", sent: "\"v8\\\"HHH\""), Odd("v=\"14 \"   ;", sent: "v=\"14 \""),
    Odd("v=  16", sent: "v=16"), Odd("v=\"  18 \"", sent: "v=\"  18 \""),
    Odd("v=\"20=20\"", sent: "v=\"20=20\""), Odd("v\t=\t21\t \t;\tttt", sent: "v=21"),
    Odd("A=22", "v=", "B=22", sent: "A=22; v=; B=22"), Odd("v=13\nZYX", sent: ""),
    Odd("v=\u{6625}\u{8282}", sent: "v=\u{6625}\u{8282}"),
    Odd("\u{6625}=\u{8282}; \u{56DE}", sent: "\u{6625}=\u{8282}"),
  ]

  private static let attributes = [
    Odd("t=1; lol; Path=/", sent: "t=1"), Odd("t=3; Path=/; 'lol'", sent: "t=3"),
    Odd("t=6; lol=\"aaa;bbb\"; Path=/", sent: "t=6"), Odd("t=8; \"Secure\"", sent: "t=8"),
    Odd("t=9; Secure qux", sent: "t=9"), Odd("t=9; seCURe", sent: ""), Odd("t=9; Secure=aaaa", sent: ""),
    Odd("t=9; Secure =aaaaa", sent: ""), Odd("t=9;       Secure     ;", sent: ""),
    Odd("t=10; b,az=qux", sent: "t=10"), Odd("  t  = 12  ;foo;;;   bar", sent: "t=12"),
    Odd("  t=== 13  ;foo;;;   bar", sent: "t=== 13"), Odd("t=14; version=1;", sent: "t=14"),
    Odd("t=18; foo=bar, a=b", sent: "t=18"), Odd("t=19;max-age=3600, c=d;path=/", sent: "t=19"),
    Odd("A=20", "=", "b=20", sent: "A=20; b=20"), Odd("A23", "; B23", sent: "A23"),
    Odd("t24", "   ", sent: "t24"),
    Odd("t25", "\t", sent: "t25"),
    Odd("t=26; domain=.parser.test; ;; ;=; ,,, ===,abc,=; abracadabra! max-age=20;=;;", sent: ""),
    Odd("t=1; Max-Age=50,399", sent: "t=1"), Odd("t=3; max-age=0", sent: ""),
    Odd("t=5; max-age=-20", sent: ""),
    Odd("A=7; max-age=60", "B=7; max-age=60", "A=x; max-age=0", sent: "B=7"),
    Odd("t=\"9! = foo;bar\";\" parser; max-age=6", "t9; max-age=2.63,", sent: "t=\"9! = foo; t9"),
    Odd("t=1; Expires=Fri, 01 Jan 2038 00:00:00 GMT", sent: "t=1"),
    Odd("t=2; Expires=Fri 01 Jan 2038 00:00:00 GMT, baz=qux", sent: "t=2"),
    Odd(
      "t=x; Expires=Fri, 07 Aug 2007 08:04:19 GMT", "t=4; Expires=Fri, 07 Aug 2027 08:04:19 GMT", sent: "t=4"),
    Odd("t=5; expires=Thu, 10 Apr 1980 16:33:12 GMT", sent: ""),
  ]

  private static let paths = [
    Odd("p=1; Path", sent: "p=1"), Odd("p=2; Path=", sent: "p=2"), Odd("p=4; Path=/qux", sent: ""),
    Odd("p=5; Path    =/qux", sent: ""), Odd("p=6; Path=    /qux", sent: ""),
    Odd("p=7; Path=/qux      ; taz", sent: ""),
    Odd("p=8; Path=/qux; Path=/", sent: "p=8"), Odd("p=9; Path=/; Path=/qux", sent: ""),
    Odd("A=11; path=/", "B=11; path=/cookies/x", sent: "B=11; A=11"),
    Odd("A=13; path=/cookies/x", "B=13; path=/", sent: "A=13; B=13"),
    Odd("p=15; path=/cookies/x/foo", sent: ""),
    Odd("p=16", "p=0; path=/cookies/x/foo", sent: "p=16"), Odd("p=18; path=/cookies/X", sent: ""),
    Odd("A=19; \tpath\t=\t/cookies/x", "B=19; \tpath\t=\t/book", sent: "A=19"),
    Odd("p=20; path=; path=/dog", sent: ""), Odd("p=21; path=/dog; path=", sent: "p=21"),
    Odd("p=22; path=/cook", sent: ""), Odd("p=23; path=/w/", sent: ""),
    Odd("p=24; path=cookies", sent: "p=24"),
    Odd("p=25; path=/cookies/", sent: "p=25"),
  ]

  @Test(arguments: names + values + attributes + paths)
  private func `odd values are parsed like in browsers`(_ odd: Odd) {
    var visit = CookieVisit()
    visit.receive(odd.lines, from: "http://home.example.org/cookies/x/set")
    #expect(visit.sent(to: "http://home.example.org/cookies/x/page") == odd.sent)
  }

  @Test(arguments: [
    ("home.example.org", "home.example.org", true), ("home.example.org", "sibling.example.org", false),
    (".home.example.org", "home.example.org", true), ("home.example.org", "sub.home.example.org", true),
    (".example.org", "sibling.example.org", true), ("sibling.example.org", "sibling.example.org", false),
    ("..home.example.org", "home.example.org", false), ("home..example.org", "home.example.org", false),
    ("  .home.example.org", "home.example.org", true), ("  .  home.example.org", "home.example.org", false),
    ("home.example.org.", "home.example.org", false), ("home.example.org..", "home.example.org", false),
    ("home.example.org .", "home.example.org", false), ("org", "home.example.org", false),
    (".org", "home.example.org", false), (".org.", "home.example.org", false),
    ("\"home.example.org\"", "home.example.org", false), ("hOmE.eXaMpLe.OrG", "home.example.org", true),
    ("home.example.org:8888", "home.example.org", false),
    ("sub.home.example.org", "sub.home.example.org", false),
    (".example.org; domain=home.example.org", "sibling.example.org", false),
    ("home.example.org; domain=.example.org", "sibling.example.org", true),
    ("home.example.org; domain=home.example.orgzzz", "home.example.org", false),
    ("home.example.orgzzz; domain=home.example.org", "home.example.org", true),
    ("", "home.example.org", true), ("", "sub.home.example.org", false),
    ("example.org; domain=", "home.example.org", true), (".", "home.example.org", false),
  ])
  func `odd domains are parsed like in browsers`(_ domain: String, _ host: String, _ isSent: Bool) {
    var visit = CookieVisit()
    visit.receive("d=1; domain=\(domain)", from: "http://home.example.org/")
    #expect(visit.sent(to: "http://\(host)/") == (isSent ? "d=1" : ""))
  }

  @Test func `a dot before the domain does not make a different cookie`() {
    var visit = CookieVisit()
    visit.receive("d=not; domain=example.org", "d=44; domain=.example.org", from: "http://example.org/")
    #expect(visit.sent(to: "http://example.org/") == "d=44")
    visit.receive("d=45", from: "http://example.org/")
    #expect(visit.sent(to: "http://example.org/") == "d=44; d=45")
  }
}
