import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct NormalizedURLTests {
  @Test(
    "a URL has one spelling",
    arguments: [
      ("HTTPS://API.Example.com/A", "https://api.example.com/A"),
      ("http://h", "http://h/"),
      ("http://h?a=1", "http://h/?a=1"),
      ("http://h:80/x", "http://h/x"),
      ("https://h:443/x", "https://h/x"),
      ("https://h:/x", "https://h/x"),
      ("https://h:80/x", "https://h:80/x"),
      ("http://h:443", "http://h:443/"),
      ("http://h:8080/x", "http://h:8080/x"),
      ("http://[2001:DB8::1]:80/x", "http://[2001:db8::1]/x"),
      ("http://[::80]/x", "http://[::80]/x"),
      ("http://[::1]:81", "http://[::1]:81/"),
      ("http://User:Pass@HOST/x", "http://User:Pass@host/x"),
      ("http://h/x#part", "http://h/x"),
      ("http://h#part?a", "http://h/"),
      ("http://h/x?a=1#b?c", "http://h/x?a=1"),
      ("http://h/%7euser/%41", "http://h/~user/A"),
      ("http://h/a%2fb", "http://h/a%2Fb"),
      ("http://h/caf\u{E9}", "http://h/caf%C3%A9"),
      ("http://h/100%", "http://h/100%"),
      ("http://h/%4", "http://h/%4"),
      ("http://h/%zz", "http://h/%zz"),
      ("http://h/%2541", "http://h/%2541"),
      ("http://h/?b=2&a=1", "http://h/?a=1&b=2"),
      ("http://h/?a=2&b=0&a=1", "http://h/?a=2&a=1&b=0"),
      ("http://h/?b&a", "http://h/?a&b"),
      ("http://h/?%62=2&%61=1", "http://h/?a=1&b=2"),
      ("http://h/?aa=1&a=2", "http://h/?a=2&aa=1"),
      ("http://h/?b=x%26a=1", "http://h/?b=x%26a=1"),
      ("http://h/?b=1?c&a=/", "http://h/?a=/&b=1?c"),
      ("http://h/?b=1&&a", "http://h/?&a&b=1"),
      ("http://h/x?", "http://h/x?"),
      ("http://h/a/../b//c/", "http://h/a/../b//c/"),
      ("http://h/x:80/y@z", "http://h/x:80/y@z"),
      ("no url at all", "no url at all"),
      ("", ""),
      (":", ":"),
      ("http://", "http:///"),
    ])
  func spelling(url: String, expected: String) {
    #expect(NormalizedURL(url).text == expected)
  }

  @Test(.computesLong) func `a URL in normal form equals its normal form`() {
    var random = SeededRandom(seed: 11)
    let pieces = [
      "http", "HTTP", "https", "ftp", ":", "//", "/", "h", "H.x", "127.0.0.1", "80", "443", "080", "8080",
      "?", "=", "&",
    ]
    let others = ["#", "%41", "%2f", "@", "a-b_c~", "[::1]", "\u{E9}", " ", "+", ".."]
    var left = 0
    for _ in 0..<20_000 {
      var url = Bool.random(using: &random) ? "http://" : ""
      for _ in 0..<Int.random(in: 0...7, using: &random) {
        url +=
          (Int.random(in: 0..<4, using: &random) > 0 ? pieces : others).randomElement(using: &random) ?? ""
      }
      guard NormalizedURLWriter.leavesAsIs(url) else { continue }
      left += 1
      var writer = NormalizedURLWriter(url)
      writer.write()
      #expect(String(decoding: writer.output, as: UTF8.self) == url)
    }
    #expect(left > 200)
  }

  @Test(
    "in doubt two stay two",
    arguments: [
      ("http://h/a%2Fb", "http://h/a/b"),
      ("http://h/?a=1&a=2", "http://h/?a=2&a=1"),
      ("http://h/?a=1", "http://h/?a=1&a=1"),
      ("http://h/?a=+", "http://h/?a=%20"),
      ("http://h/?a=+", "http://h/?a=%2B"),
      ("http://h/?a", "http://h/?a="),
      ("http://h/?a=1&b=2", "http://h/?a=1%26b=2"),
      ("http://h/?a=1", "http://h/?A=1"),
      ("http://h/x", "http://h/X"),
      ("http://h/x", "http://h/x/"),
      ("http://h/x", "http://h/x?"),
      ("http://h/x", "https://h/x"),
      ("http://h/x", "http://h:443/x"),
      ("http://a@h/x", "http://A@h/x"),
      ("http://h/caf\u{E9}", "http://h/cafe\u{301}"),
    ])
  func difference(one: String, other: String) {
    #expect(NormalizedURL(one) != NormalizedURL(other))
  }

  @Test(arguments: 1...20)
  func `the order of names does not matter, and normalization is idempotent`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<200 {
      let names = ["a", "b", "%62", "c%5B%5D", "", "z"].prefix(Int.random(in: 1...6, using: &random))
      // Each name occurs once, so that every order means the same.
      let items = names.filter { $0 != "%62" || !names.contains("b") }.map { name in
        "\(name)=\(["1", "%7E", "%2f", "", "x=y", "%26"].randomElement(using: &random) ?? "")"
      }
      let one = NormalizedURL("http://h/p?" + items.joined(separator: "&"))
      let other = NormalizedURL(
        "HTTP://H:80/p?" + items.shuffled(using: &random).joined(separator: "&") + "#f")
      #expect(one == other)
      #expect(NormalizedURL(one.text) == one)
    }
  }

  @Test(arguments: 1...20)
  func `any text is accepted, and a valid URL's normal form is its own normal form`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let pieces = [
      "a", "B", "/", "?", "&", "=", "%", "41", "é", ":", "@", "[", "]", "80", "#", "//", "%2f", "%7e",
    ]
    var asked = 0
    for _ in 0..<300 {
      let tail = (0..<Int.random(in: 0...12, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let text = ["", "http://h", "HTTPS://h/"].randomElement(using: &random).map { $0 + tail } ?? tail
      let normal = NormalizedURL(text)
      #expect(normal.text.utf8.allSatisfy { $0 < 0x80 })
      let address = Address(text)
      guard address.url != nil else { continue }
      asked += 1
      let once = NormalizedURL(address.text)
      #expect(NormalizedURL(once.text) == once)
      #expect(Address(once.text).url != nil)
    }
    #expect(asked > 50)
  }

  @Test func `the description shows no password and no query`() {
    let shown = "\(NormalizedURL("https://me:secret@h/x?who=secret&b"))"
    #expect(shown == "https://***@h/x?…")
    #expect("\(NormalizedURL("http://h/x"))" == "http://h/x")
  }
}
