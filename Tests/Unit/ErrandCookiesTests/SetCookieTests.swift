import Foundation
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite struct SetCookieTests {
  private func pair(_ text: String) -> [String]? { SetCookie(text).map { [$0.name, $0.value] } }

  @Test(arguments: [
    ("a=b", "a", "b"), ("a=", "a", ""), ("  a\t = \t b  ", "a", "b"), ("a=b=c", "a", "b=c"),
    ("a b=c d", "a b", "c d"), ("token", "", "token"), ("=token", "", "token"), ("==a=b", "", "=a=b"),
    ("a=\"b; c\"", "a", "\"b"), ("\"a=b\"", "\"a", "b\""), ("a=b, c=d", "a", "b, c=d"),
    ("%61=%62", "%61", "%62"), ("ä=ö", "ä", "ö"), ("a=b\tc", "a", "b\tc"), ("a;b=c", "", "a"),
    ("a=b;;;=;,;", "a", "b"), ("$Version=1; a=b", "$Version", "1"),
  ])
  func `name and value are before and after the first equals sign, up to the first semicolon`(
    _ text: String, _ name: String, _ value: String
  ) {
    #expect(pair(text) == [name, value])
  }

  @Test(arguments: ["", " ", "\t", "=", " = ", ";", "; a=b", "=;a=b"])
  func `a cookie without a name and a value is refused`(_ text: String) {
    #expect(SetCookie(text) == nil)
  }

  @Test func `a control character is refused at any place`() {
    for code in Array(UInt8(0)...31) + [127] where code != 9 {
      let control = String(UnicodeScalar(code))
      #expect(SetCookie("a\(control)=b") == nil)
      #expect(SetCookie("a=b\(control)") == nil)
      #expect(SetCookie("a=b; x\(control)") == nil)
      #expect(SetCookie("a=b; Path=/\(control)") == nil)
    }
    #expect(SetCookie("a=b; x\t=\t1") != nil)
  }

  @Test func `name and value together have at most 4096 octets`() {
    let long = String(repeating: "x", count: 4094)
    #expect(pair("ab=\(long)") == ["ab", long])
    #expect(pair("abc=\(long)") == nil)
    #expect(pair("\(long)=ab") == [long, "ab"])
    #expect(pair("\(long)xxx") == nil)
    // Octets count, not characters, and the spaces around them do not.
    #expect(pair("ab=\(String(repeating: "é", count: 2047))") != nil)
    #expect(pair("abc=\(String(repeating: "é", count: 2047))") == nil)
    #expect(pair("ab=   \(long)   ") == ["ab", long])
    #expect(pair("ab=\(long); Path=/\(long)") == ["ab", long])
  }

  @Test func `a name or a value that was not UTF-8 is refused`() {
    let latin = String(decoding: Array("a=Jos".utf8) + [0xE9], as: UTF8.self)
    #expect(SetCookie(latin) == nil)
    #expect(SetCookie("\u{FFFD}=b") == nil)
    #expect(SetCookie("a=b; Path=/\u{FFFD}") != nil)
  }

  @Test func `an attribute of more than 1024 octets is ignored, and an earlier one with its name counts`() {
    let long = "/" + String(repeating: "x", count: 1023)
    #expect(SetCookie("a=b; Path=\(long)")?.path == long)
    #expect(SetCookie("a=b; Path=/x; Path=\(long)x")?.path == "/x")
    #expect(SetCookie("a=b; Path=\(long)x; Path=/x")?.path == "/x")
    #expect(SetCookie("a=b; Domain=x.com; Domain=\(long)x")?.domain == "x.com")
    #expect(SetCookie("a=b; Max-Age=\(String(repeating: "0", count: 1023))5")?.maxAge == 5)
    #expect(SetCookie("a=b; Max-Age=\(String(repeating: "0", count: 1024))5")?.maxAge == nil)
    #expect(SetCookie("a=b; Secure=\(long)x")?.isSecure == false)
  }

  @Test(arguments: [
    "Secure", "secure", "SECURE", " Secure ", "Secure=", "Secure=no", "x; Secure; y", ";;Secure",
  ])
  func `Secure counts with any value and in any letter case`(_ attributes: String) {
    #expect(SetCookie("a=b;\(attributes)")?.isSecure == true)
  }

  @Test(arguments: ["", "\"Secure\"", "Secure x", "x=Secure", "x=\"1; Secure\"", "Secure\u{A0}", "Ｓecure"])
  func `a word that only contains Secure is another attribute`(_ attributes: String) {
    #expect(SetCookie("a=b; \(attributes)")?.isSecure == false)
  }

  @Test func `HttpOnly counts with any value and in any letter case`() {
    #expect(SetCookie("a=b; httponly")?.isHTTPOnly == true)
    #expect(SetCookie("a=b; HttpOnly=0")?.isHTTPOnly == true)
    #expect(SetCookie("a=b; HttpOnl")?.isHTTPOnly == false)
  }

  @Test(arguments: [
    ("Strict", Cookie.SameSite.strict), ("lax", .lax), ("NONE", .noRestriction), ("foo", nil),
    ("", nil),
    ("Strict; SameSite=Lax", .lax), ("Strict; SameSite=foo", nil), ("\"Strict\"", nil),
  ])
  func `the last SameSite counts, and an unknown value is ignored`(
    _ value: String, _ expected: Cookie.SameSite?
  ) {
    #expect(SetCookie("a=b; SameSite=\(value)")?.sameSite == expected)
  }

  @Test(arguments: [
    ("example.com", "example.com"), (".example.com", "example.com"), ("..example.com", ".example.com"),
    ("EXAMPLE.Com", "example.com"), ("", nil), (".", "."), ("a.com; Domain=b.com", "b.com"),
    ("a.com; Domain=", nil), ("a.com; Domain", nil), ("  .a.com ", "a.com"), ("example.com.", "example.com."),
  ])
  func `the last Domain counts, in lower case and without a leading dot`(
    _ value: String, _ expected: String?
  ) {
    #expect(SetCookie("a=b; Domain=\(value)")?.domain == expected)
  }

  @Test(arguments: [
    ("/", "/"), ("/a", "/a"), (" /a ", "/a"), ("", nil), ("a", nil), ("\"/a\"", nil), ("/a; Path=/b", "/b"),
    ("/a; Path=", nil), ("/a; Path", nil), ("/a; Path=b", nil), ("/A%2f/../é", "/A%2f/../é"),
  ])
  func `the last Path counts, and one without a leading slash means the default path`(
    _ value: String, _ expected: String?
  ) {
    #expect(SetCookie("a=b; Path=\(value)")?.path == expected)
  }
}

@Suite struct CookieLifetimeTests {
  private let now = Date(timeIntervalSince1970: 1_790_000_000)

  /// Returns the seconds until the cookie expires; -1 if it has already expired.
  private func lifetime(_ attributes: String) -> Int? {
    SetCookie("a=b; \(attributes)")?.expiry(at: now).map { Int(max(-1, $0.timeIntervalSince(now))) }
  }

  private static let limit = 400 * 86_400

  @Test(arguments: [
    ("", nil), ("Max-Age=5", 5), ("max-age=5", 5), ("Max-Age=0", -1), ("Max-Age=-1", -1), ("Max-Age=-0", -1),
    ("Max-Age=005", 5), ("Max-Age=34560000", limit), ("Max-Age=34560001", limit),
    ("Max-Age=99999999999999999999999999", limit), ("Max-Age=-99999999999999999999999999", -1),
  ])
  func `Max-Age is in seconds from now, at most 400 days`(_ attributes: String, _ expected: Int?) {
    #expect(lifetime(attributes) == expected)
  }

  @Test(arguments: [
    "", "-", "+5", "5.5", "5s", "50,399", "0x10", " - 5", "1e3", "--5", "5-", "\"5\"", "٥", "Infinity",
  ])
  func `a Max-Age that is not a number is ignored`(_ value: String) {
    #expect(lifetime("Max-Age=\(value)") == nil)
    #expect(lifetime("Max-Age=7; Max-Age=\(value)") == 7)
  }

  @Test func `Expires is a date, at most 400 days from now`() {
    #expect(lifetime("Expires=Mon, 21 Sep 2026 14:13:30 GMT") == 10)
    #expect(lifetime("Expires=Thu, 01 Jan 1970 00:00:00 GMT") == -1)
    #expect(lifetime("Expires=Fri, 31 Dec 9999 23:59:59 GMT") == Self.limit)
    #expect(lifetime("Expires=Mon, 01 Jan 1601 00:00:00 GMT") == -1)
  }

  @Test func `an Expires that is not a date is ignored`() {
    #expect(lifetime("Expires=never") == nil)
    #expect(lifetime("Expires=0") == nil)
    #expect(lifetime("Expires=Mon, 21 Sep 2026 14:13:30 GMT; Expires=never") == 10)
  }

  @Test func `the last attribute with a name counts, and Max-Age takes precedence over Expires`() {
    #expect(lifetime("Max-Age=5; Max-Age=6") == 6)
    #expect(lifetime("Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT") == 5)
    #expect(lifetime("Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=5") == 5)
    #expect(lifetime("Expires=Mon, 21 Sep 2026 14:13:30 GMT; Max-Age=x") == 10)
  }
}

@Suite struct JoinedSetCookieTests {
  @Test(arguments: [
    ("a=b", ["a=b"]), ("", [""]), ("a=b, c=d", ["a=b", " c=d"]), ("a=b,c=d,e=f", ["a=b", "c=d", "e=f"]),
    (
      "a=b; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/, c=d",
      ["a=b; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/", " c=d"]
    ),
    (
      "a=b; expires=Wednesday, 21-Oct-15 07:28:00 GMT, c = d; Max-Age=5",
      ["a=b; expires=Wednesday, 21-Oct-15 07:28:00 GMT", " c = d; Max-Age=5"]
    ),
    ("a=1,2,3", ["a=1,2,3"]), ("a=b,", ["a=b,"]), (",,=,a,", [",,=,a,"]), ("a=b, token", ["a=b, token"]),
    ("a={\"x\": 1, \"y\": 2}", ["a={\"x\": 1, \"y\": 2}"]),
  ])
  func `a comma begins another cookie if a name and an equals sign follow it`(
    _ joined: String, _ expected: [String]
  ) {
    #expect(HTTPFields.setCookies(joined: joined) == expected)
  }
}
