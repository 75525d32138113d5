import ErrandTesting
import Foundation
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

@Suite struct AddressTests {
  /// The parts of URLs as a caller writes them and as they are requested.
  private static let hosts: [(String, String)] = [
    ("h", "h"), ("Example.COM", "Example.COM"), ("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"),
    ("[fe80::1%25eth0]", "[fe80::1%25eth0]"), ("_dmarc.example", "_dmarc.example"), ("ho%73t", "host"),
    ("bücher.de", "xn--bcher-kva.de"), ("b%C3%BCcher.de", "xn--bcher-kva.de"), ("h:80", "h:80"), ("h:", "h:"),
    ("h:0080", "h:0080"), ("h:65535", "h:65535"), ("xn--bcher-kva.de", "xn--bcher-kva.de"),
  ]
  private static let paths: [(String, String)] = [
    ("", ""), ("/", "/"), ("//", "//"), ("/a//b", "/a//b"), ("/a/../b/./c", "/b/c"), ("/..", "/"),
    ("/../a/.", "/a/"),
    ("/a/b/../..", "/"), ("/./.well-known/..a/.../x", "/.well-known/..a/.../x"), ("/a//../b", "/a/b"),
    ("/%2E%2E/a", "/%2E%2E/a"),
    ("/a%20b", "/a%20b"), ("/a%2Fb%2fc", "/a%2Fb%2fc"), ("/a%20b|c", "/a%20b%7Cc"), ("/100%", "/100%25"),
    ("/100%/a%20b", "/100%25/a%20b"), ("/%zz%4", "/%25zz%254"), ("/%41%", "/%41%25"), ("/é", "/%C3%A9"),
    ("/%C3%A9é", "/%C3%A9%C3%A9"), ("/a[b]c", "/a%5Bb%5Dc"), ("/\"<>^`{|}\\", "/%22%3C%3E%5E%60%7B%7C%7D%5C"),
    ("/;v=1/x,y", "/;v=1/x,y"), ("/~a/b_c-d.e", "/~a/b_c-d.e"), ("/a'b(c)!$&*+,;=:@", "/a'b(c)!$&*+,;=:@"),
    ("/user@mail", "/user@mail"), ("/%00", "/%00"), ("/%0D%0A", "/%0D%0A"), ("/🚀", "/%F0%9F%9A%80"),
  ]
  private static let queries: [(String, String)] = [
    ("", ""), ("?", "?"), ("?f=a|b", "?f=a%7Cb"), ("?q=two%20words|x", "?q=two%20words%7Cx"),
    ("?a[]=1&b={x}", "?a%5B%5D=1&b=%7Bx%7D"), ("?q=a+b%2Bc", "?q=a+b%2Bc"), ("?q=a?b/c:d@e", "?q=a?b/c:d@e"),
    ("?50%", "?50%25"), ("?%2", "?%252"), ("?ü=%C3%BC", "?%C3%BC=%C3%BC"), ("?a=b#", "?a=b#"),
    ("?q#f%20|g", "?q#f%20%7Cg"), ("#a#b%20c", "#a%23b%20c"), ("?'\"", "?'%22"), ("?\\%5C", "?%5C%5C"),
  ]

  @Test func `only bytes of a URL that are invalid in their position are encoded`() {
    var count = 0
    for scheme in ["http", "https", "HTTP"] {
      for (index, host) in Self.hosts.enumerated() {
        for (other, path) in Self.paths.enumerated() {
          let query = Self.queries[(index + other) % Self.queries.count]
          let text = "\(scheme)://\(host.0)\(path.0)\(query.0)"
          let expected = "\(scheme)://\(host.1)\(path.1)\(query.1)"
          let address = Request.get(text).address
          #expect(address.url?.absoluteString == expected, "\(text)")
          // An encoded URL stays as it is, however often it is parsed.
          #expect(Address(expected) == address, "\(text)")
          count += 1
        }
      }
    }
    #expect(count > 900)
  }

  @Test func `the bytes of a URL are encoded once, also if a query is added to an invalid one`() {
    let request = Request.get("http://h/?f=a|b", query: ["q": "two words"])
    #expect(request.url?.absoluteString == "http://h/?f=a%7Cb&q=two%20words")
    #expect(
      request.query("r", "100%").url?.absoluteString == "http://h/?f=a%7Cb&q=two%20words&r=100%25")
  }

  @Test(arguments: [
    ("http://h/items#\u{FE0F}\u{20E3}", "http://h/items?id=7#%EF%B8%8F%E2%83%A3"),
    ("http://h/items?\u{301}", "http://h/items?%CC%81&id=7"),
    ("http://h/items?a&\u{301}", "http://h/items?a&%CC%81&id=7"),
    ("http://h/items?a&#\u{301}", "http://h/items?a&id=7#%CC%81"),
    ("http://h/items?", "http://h/items?id=7"),
  ])
  func `a query is added before the fragment, even if a delimiter is followed by a combining character`(
    text: String, url: String
  ) {
    #expect(Request.get(text, query: ["id": "7"]).url?.absoluteString == url)
  }

  @Test(arguments: [
    "http://h%2Fx/", "http://h%00/", "http://h%0d%0aX/", "http://h%40x/", "http://h%2Cx/", "http://h%21/",
    "http://%/", "http://h%/",
    "http://h\\x/",
    "http://h\\@evil/", "http://a|b/", "http://a<b>/", "http://h:99999/", "http://h:65536/", "http://h:abc/",
    "http://h:-1/", "http://h:1:2/", "http://[zz]/", "http://[::1/", "http://[::1]x/", "http://[v1.a]/",
    "http://[::1%eth0]/", "http://[::1%25]/", "http://[]/", "http://h\u{0}/", "http://h/\r\nX: y",
    "http://h/a b",
    "http://h/\t", "\u{1}http://h/", "http://h/ ", "http:h", "http:/h", "http://", "http://:80/",
    "http://u@/",
    "http://?x", "http://#x", "https:", "//h/", "?q", "1http://h/", "://h/", "http://h/\u{7F}",
  ])
  func `a text that is not the URL of a server is refused`(text: String) {
    #expect(Request.get(text).url == nil, "\(text)")
  }

  @Test func `the fast path and the full parser give the same result`() {
    var random = SeededRandom(seed: 7)
    let letters = Array("ahz:/?#%2Ff@[]|\\..-_~=&é \u{1}09xn-".unicodeScalars)
    for index in 0..<6000 {
      var text = index.isMultiple(of: 2) ? "http://h" : "http://"
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        text.unicodeScalars.append(letters[Int.random(in: 0..<letters.count, using: &random)])
      }
      guard URLBytes.isPlainURL(text) else { continue }
      #expect(URLReference(text)?.text == text, "\(text)")
      #expect(Address(text).url?.absoluteString == text, "\(text)")
    }
  }

  @Test(arguments: [
    ("http://user:pass@h/", "user:pass"), ("http://us%40er:p%3Aw@h/", "us@er:p:w"),
    ("http://user@h/", "user:"),
    ("http://:pass@h/", ":pass"), ("http://a:b:c@h/", "a:b:c"), ("http://a@b@h/", "a@b:"),
  ])
  func `the user of a URL becomes a credential and leaves the URL`(text: String, credential: String) throws {
    var request = Request.get(text)
    try request.makeReady()
    #expect(request.address.text == "http://h/")
    let encoded = Array(credential.utf8)
    let value = try #require(request.fields["Authorization"])
    #expect(value.hasPrefix("Basic "))
    #expect(Data64.decode(String(value.dropFirst(6))) == encoded)
    #expect(request.fields.first?.isSecret == true)
  }

  @Test func `an empty user is removed from the URL, and an explicit Authorization field is kept`() throws {
    var request = Request.get("http://@h/")
    try request.makeReady()
    #expect(request.address.text == "http://h/")
    #expect(request.fields.isEmpty)
    request = Request.get("http://u:p@h/").bearer("t")
    try request.makeReady()
    #expect(request.fields.values(of: "Authorization") == ["Bearer t"])
    #expect(request.address.text == "http://h/")
  }

  @Test(arguments: [
    "https://ann:secret@a.test/x?token=secret&q=long",
    "https://a.test/x?next=https%3A%2F%2Fann%3Asecret%40b.test%2F&b=1",
    "https://a.test/x#access_token=secret",
  ])
  func `the beginning of a long URL shows no secret, wherever it ends`(text: String) {
    let address = Request.get(text).address
    let whole = address.shown(hiding: .standard)
    for limit in 1...text.utf8.count {
      let shown = address.shown(hiding: .standard, upTo: limit)
      #expect(!shown.contains("sec"))
      #expect(shown == whole || (shown.hasSuffix("…") && whole.hasPrefix(shown.dropLast())))
    }
    #expect(address.shown(hiding: .standard, upTo: text.utf8.count) == whole)
    #expect(
      Request.get("https://a.test/b/ccc").address.shown(hiding: .standard, upTo: 18) == "https://a.test/b/…")
  }
}

private enum Data64 {
  static func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map(Array.init) }
}
