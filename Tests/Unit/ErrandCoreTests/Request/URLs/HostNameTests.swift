import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Hosts in the normalized form in which they are compared, signed and sent.
@Suite struct HostNameTests {
  private func host(_ text: String) -> String? { URLReference("http://\(text)/")?.authority?.host }

  private func problem(_ text: String) -> String? { Request.get("http://\(text)/").address.problem }

  // MARK: International names

  @Test(arguments: [
    ("b\u{FC}cher.example", "xn--bcher-kva.example"), ("B\u{DC}CHER.Example", "xn--bcher-kva.example"),
    ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("b%C3%BCcher.example", "xn--bcher-kva.example"),
    // Non-transitional processing: the sharp s and, after certain letters, the zero-width joiner are kept.
    ("fa\u{DF}.de", "xn--fa-hia.de"), ("\u{915}\u{94D}\u{200D}\u{937}.example", "xn--11b2ezcw70k.example"),
    ("stra\u{DF}e\u{3002}example", "xn--strae-oqa.example"),
    ("\u{65E5}\u{672C}\u{8A9E}\u{3002}\u{FF2A}\u{FF30}", "xn--wgv71a119e.jp"), ("a\u{FF0E}b", "a.b"),
    ("\u{FF21}.com", "a.com"), ("a_b.\u{FC}.com", "a_b.xn--tda.com"), ("\u{FC}.com.", "xn--tda.com."),
    ("XN--BCHER-KVA.example", "xn--bcher-kva.example"), ("xn--zca.de", "xn--zca.de"),
    // IDNA 2008 does not allow this letter, but such a name is registered.
    ("xn--ls8h.la", "xn--ls8h.la"), ("\u{FF11}\u{FF12}\u{FF17}.1", "127.0.0.1"),
    ("Example.COM", "Example.COM"), ("a_b.example", "a_b.example"),
  ])
  func `an international name is sent as A-labels`(text: String, name: String) {
    #expect(host(text) == name)
    #expect(Request.get("https://\(text):8443/x").url?.absoluteString == "https://\(name):8443/x")
    // A normalized name does not change again.
    #expect(host(name) == name)
  }

  @Test(arguments: [
    "a\u{200D}b.com", "\u{2615}.example", "1\u{5D0}.com", "-\u{FC}.com", "\u{FC}-.com", "ab--\u{FC}.com",
    "\(String(repeating: "\u{FC}", count: 60)).com", "\(String(repeating: "a", count: 64)).\u{FC}.com",
    "\u{FC}\(String(repeating: ".abcdefghi", count: 25)).com", "xn--a.com", "xn--99999999.com", "xn--.com",
    "xn--a-.com", "%FC.com", "a%00\u{FC}.com", "\u{AD}", "\u{FFFD}.com",
  ])
  func `an invalid name is refused with the reason`(text: String) {
    #expect(host(text) == nil)
    let problem = problem(text)
    #expect(
      problem?.contains("is not a valid international host name") == true || text.contains("%00"),
      "\(problem ?? "")")
  }

  @Test func `the error for a letter that this machine does not know says what to do`() throws {
    let problem = try #require(self.problem("\u{2615}.example"))
    #expect(problem.hasPrefix("\"\u{2615}.example\" is not a valid international host name: "))
    #expect(problem.hasSuffix("; if it is registered, write its form in DNS (xn--…)"))
  }

  @Test(arguments: ["\u{2100}.com", "a\u{FF0F}b.com", "a\u{FF1F}b.com", "a\u{FF20}b.com", "\u{FC}\u{FF1A}80"])
  func `a letter that maps to a delimiter does not end the host`(text: String) {
    #expect(host(text) == nil)
  }

  @Test func `a name of 253 bytes and a label of 63 bytes are accepted`() {
    let label = String(repeating: "a", count: 63)
    let name = "\(label).\(label).\(label).xn--tda\(String(repeating: ".abcdefg", count: 6)).abcde"
    #expect(name.utf8.count == 253 + 0 || name.utf8.count < 254)
    #expect(host(name.replacing("xn--tda", with: "\u{FC}")) == name)
    #expect(host(name.replacing("xn--tda", with: "\u{FC}") + ".") == name + ".")
    #expect(host("abcdefgh." + name.replacing("xn--tda", with: "\u{FC}")) == nil)
  }

  // MARK: Addresses

  /// The notations that libcurl 7.88 and 8 accept.
  @Test(arguments: [
    ("127.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f000001", "127.0.0.1"),
    ("017700000001", "127.0.0.1"), ("127.0.1", "127.0.0.1"), ("127.0.0.01", "127.0.0.1"),
    ("4294967295", "255.255.255.255"), ("0", "0.0.0.0"), ("00", "0.0.0.0"), ("0x0", "0.0.0.0"),
    ("255.16777215", "255.255.255.255"), ("1.255.65535", "1.255.255.255"), ("0X7F.1", "127.0.0.1"),
    ("0377.1", "255.0.0.1"), ("127.0x00000000000000001", "127.0.0.1"), ("%3127.1", "127.0.0.1"),
  ])
  func `a numeric host is replaced by the address that it is connected to`(text: String, address: String) {
    #expect(host(text) == address)
    #expect(Request.get("http://\(text)/").address.originName == "http://\(address):80")
  }

  @Test(arguments: [
    "127.0.0.08", "127.0.0.1.", "127.1.", "4294967296", "0x", "1.2.3.4.5", "256.1", "255.16777216",
    "1.2.65536",
    "1.2.3.256", "0x7g", "1e3", "1..2", ".1", "1.foo", "foo.1", "18446744073709551616", "09", "0400.1",
  ])
  func `a host that is not an address in any notation is treated as a name`(text: String) {
    #expect(host(text) == text)
  }

  @Test(arguments: [
    ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]", "[::1]"), ("[FE80::1]", "[fe80::1]"),
    ("[::ffff:127.0.0.1]", "[::ffff:127.0.0.1]"), ("[fe80::1%25eth0]", "[fe80::1%25eth0]"),
    ("[2001:DB8::0001]", "[2001:db8::1]"),
  ])
  func `an IPv6 address is normalized to one notation`(text: String, address: String) {
    #expect(host(text) == address)
    #expect(Origin(URL(string: "http://\(address)/")!)?.text == "http://\(address):80")
  }

  @Test(arguments: ["[:::1]", "[1]", "[::1::]", "[12345::]", "[::256.1.1.1]", "[::%25]", "[::1%25a b]"])
  func `brackets around anything but an IPv6 address are refused`(text: String) {
    #expect(host(text) == nil)
  }

  // MARK: Origins

  @Test(arguments: [
    ("https://B\u{DC}CHER.example/", "https://xn--bcher-kva.example/x"),
    ("http://127.1/", "http://2130706433/x"),
    ("http://[0:0::1]/", "http://[::1]:80/x"), ("http://EXAMPLE.com/", "http://example.com:80/x"),
  ])
  func `two spellings of one host are the same origin`(one: String, other: String) throws {
    let request = Request.get(one).bearer("t")
    let head = ResponseHead(status: 302, fields: ["Location": other])
    guard case .follow(let next) = try RedirectPolicy().step(request, head, followed: 0, secrets: .standard)
    else {
      Issue.record("the redirect was not followed")
      return
    }
    #expect(next.fields["Authorization"] == "Bearer t")
    #expect(next.address.originName == request.address.originName)
    #expect(NormalizedURL(Request.get(one).address.text + "x") == NormalizedURL(next.address.text))
    let origins = Authentication.bearer("t", at: [try #require(URL(string: one))]).origins(below: nil)
    #expect(origins == [next.address.originName])
  }

  @Test func `hosts in a configuration are normalized like hosts in URLs`() {
    #expect(HostName.canonical("B\u{DC}cher.example") == "xn--bcher-kva.example")
    #expect(HostName.canonical("127.1") == "127.0.0.1")
    #expect(HostName.canonical("FE80::1") == "fe80::1")
    for text in ["", "a b", "a/b", "h:80", "\u{2615}"] { #expect(HostName.canonical(text) == nil) }
  }
}
