import ErrandCrypto
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite struct CookieFileFormatTests {
  private let date = Date(timeIntervalSince1970: 1_790_000_000.123456).toMicroseconds

  private func entry(_ name: String, _ value: String, expires: Date? = nil) -> CookieList.Entry {
    let cookie = Cookie(name, value, domain: "example.com", expires: expires?.toMicroseconds)
    return CookieList.Entry(cookie, created: date, received: date, used: date)
  }

  /// Returns the lines as a file that this program wrote.
  private func data(_ lines: String, version: Int = 1) -> Data {
    let digest = SHA256Digest(hashing: Data(lines.utf8))
    return Data("{\"errand\":\"cookies\",\"version\":\(version),\"sha256\":\"\(digest)\"}\n\(lines)".utf8)
  }

  @Test func `a file consists of JSON lines that a human can read`() throws {
    let data = try CookieFileFormat.data(of: [entry("sid", "a/\"b\"", expires: date + 5)])
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("{\"errand\":\"cookies\",\"version\":1,\"sha256\":\""))
    #expect(
      lines[1] == """
        {"created":1790000000.123456,"domain":"example.com","expires":1790000005.123456,"hostOnly":true,\
        "httpOnly":false,"name":"sid","path":"/","received":1790000000.123456,"secure":true,\
        "used":1790000000.123456,"value":"a/\\"b\\""}
        """)
    for line in lines { #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil) }
  }

  @Test func `a written file is read back unchanged`() throws {
    var random = SeededRandom(seed: 21)
    let letters = Array("ab\"\\/\t{}[]:,\u{e9}e\u{301}\u{2028}\u{1F36A}")
    func text(_ range: ClosedRange<Int>) -> String {
      String(
        (0..<Int.random(in: range, using: &random)).compactMap { _ in letters.randomElement(using: &random) }
      )
      .trimmingCharacters(in: .whitespaces)
    }
    for _ in 0..<300 {
      let entries = (0..<Int.random(in: 0...5, using: &random)).map { number in
        let cookie = Cookie(
          "n\(number)" + text(0...5), text(0...50), domain: "d\(number).com",
          isHostOnly: .random(using: &random),
          path: "/" + text(0...5),
          expires: Bool.random(using: &random) ? (date + 5000.5).toMicroseconds : nil,
          isSecure: true, isHTTPOnly: .random(using: &random),
          sameSite: [.strict, .lax, .noRestriction, nil].randomElement(using: &random) ?? nil)
        let dates = (0..<3).map { _ in (date + .random(in: -1e6...1e6, using: &random)).toMicroseconds }
        return CookieList.Entry(cookie, created: dates[0], received: dates[1], used: dates[2])
      }
      let data = try CookieFileFormat.data(of: entries)
      let read = try CookieFileFormat.entries(in: data)
      #expect(read == entries)
      #expect(try CookieFileFormat.data(of: read) == data)
    }
  }

  @Test(.computesLong) func `a file with a flipped bit, or a truncated one, is refused as a whole`() throws {
    let data = try CookieFileFormat.data(of: [entry("a", "1", expires: date), entry("b", "2")])
    for index in data.indices {
      for bit in 0..<8 {
        var flipped = data
        flipped[index] ^= 1 << bit
        #expect(throws: CookieFileFault.self) { try CookieFileFormat.entries(in: flipped) }
      }
      #expect(throws: CookieFileFault.damaged) { try CookieFileFormat.entries(in: data[..<index]) }
    }
    for more in ["\n", " ", "x", "{}"] {
      #expect(throws: CookieFileFault.damaged) { try CookieFileFormat.entries(in: data + Data(more.utf8)) }
    }
    #expect(throws: CookieFileFault.damaged) { try CookieFileFormat.entries(in: data + data) }
  }

  @Test func `the error for an unknown version names it`() {
    #expect(throws: CookieFileFault.otherVersion(2)) {
      try CookieFileFormat.entries(in: data("whatever\n", version: 2))
    }
    #expect(throws: CookieFileFault.otherVersion(-1)) {
      try CookieFileFormat.entries(in: Data("{\"version\":-1,\"errand\":\"cookies\"}\nx".utf8))
    }
  }

  @Test(arguments: [
    "", "\n", "x", "# Netscape HTTP Cookie File\n", "{}\n", "[]\n", "null\n", "{\"errand\":\"cookies\"}\n",
    "{\"errand\":\"cookies\",\"version\":1}\n", "{\"errand\":\"cookies\",\"version\":1e99}\n",
    "{\"errand\":\"else\",\"version\":2}\n", String(repeating: "[", count: 100_000) + "\n", "\0\0\0\0\n",
  ])
  func `a foreign file is refused`(_ text: String) {
    #expect(throws: CookieFileFault.damaged) { try CookieFileFormat.entries(in: Data(text.utf8)) }
  }

  private func line(
    name: String = "a", value: String = "b", domain: String = "example.com", path: String = "/",
    secure: String = "true", created: String = "1"
  ) -> String {
    """
    {"created":\(created),"domain":"\(domain)","hostOnly":true,"httpOnly":false,"name":"\(name)",\
    "path":"\(path)","received":1,"secure":\(secure),"used":1,"value":"\(value)"}\n
    """
  }

  @Test func `a cookie that no store would have kept is refused, even if the digest is right`() throws {
    #expect(try CookieFileFormat.entries(in: data(line())).count == 1)
    for bad in [
      line(value: "b\\r\\nX: y"), line(value: "b; c=d"), line(name: "a=b"), line(name: "", value: ""),
      line(name: "a\\u0000"), line(domain: ""), line(domain: "EXAMPLE.com"), line(path: "x"),
      line(secure: "1"),
      line(name: "__Host-a", path: "/x"), line(name: "__Secure-a", secure: "false"),
      line(value: String(repeating: "x", count: 4096)), "{}\n", "x\n", line(created: "1e999"),
      String(repeating: "[", count: 10_000) + "\n", line(value: "\\ud800"),
    ] {
      #expect(throws: CookieFileFault.damaged) { try CookieFileFormat.entries(in: data(line() + bad)) }
    }
  }

  @Test(arguments: ["1e308", "-1e308", "0", "-5", "253402300800", "0.0000001"])
  func `any parsed expiry can be written again`(_ number: String) throws {
    let entries = try CookieFileFormat.entries(in: data(line(created: number)))
    let again = try CookieFileFormat.entries(in: CookieFileFormat.data(of: entries))
    #expect(again == entries)
  }
}
