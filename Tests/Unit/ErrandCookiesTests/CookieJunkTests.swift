import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite struct CookieJunkTests {
  private static let words = [
    "a", "=", ";", " ", "\t", ",", ".", "/", "\"", "\\", "Domain", "Path", "Expires", "Max-Age", "Secure",
    "HttpOnly",
    "SameSite", "None", "Lax", "__Host-", "__Secure-", "__host-", "example.com", ".com", "com", "1.2.3.4",
    "-", "0",
    "99999999999999999999", "-1", "Wed, 21 Oct 2015 07:28:00 GMT", "31 Feb 2020", "::", "é", "e\u{301}",
    "\u{0}",
    "\r\n", "\n", "\u{7F}", "\u{FFFD}", "\u{202E}", "\u{1F36A}", "%00", "Partitioned", "Priority=High",
  ]

  private func junk(_ random: inout SeededRandom) -> String {
    var text = (0..<Int.random(in: 0...24, using: &random))
      .map { _ in Self.words.randomElement(using: &random) ?? "" }.joined()
    if Int.random(in: 0..<50, using: &random) == 0 {
      text += String(repeating: Self.words.randomElement(using: &random) ?? "", count: 5000)
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      let bytes = (0..<40).map { _ in UInt8.random(in: 0...(.max), using: &random) }
      text += String(decoding: bytes, as: UTF8.self)
    }
    return text
  }

  @Test(.computesLong) func `no random Set-Cookie field crashes, or makes more than one pair`() throws {
    var random = SeededRandom(seed: 41)
    var visit = CookieVisit(perDomain: 20, total: 40)
    let url = try #require(URL(string: "https://www.example.com/x/y"))
    let target = try #require(CookieURL(url))
    var count = 0
    for _ in 0..<20_000 {
      let text = junk(&random)
      guard let cookie = SetCookie(text) else { continue }
      count += 1
      #expect(cookie.name.utf8.count + cookie.value.utf8.count <= 4096)
      #expect(!ASCII.hasControl(cookie.name + cookie.value))
      #expect(!(cookie.name + cookie.value).utf8.contains(UInt8(ascii: ";")))
      #expect(!cookie.name.utf8.contains(UInt8(ascii: "=")))
      visit.receive(text, from: "https://www.example.com/x/y")
      visit.wait(0.1)
      let field = visit.sent(to: "https://www.example.com/x/y")
      #expect(!ASCII.hasControl(field))
      // Bytes, because to Swift a semicolon that a combining mark follows is another character.
      let pairs = field.utf8.split(separator: UInt8(ascii: ";")).count
      #expect(pairs == visit.jar.entries(for: target, at: visit.now).count)
      _ = HTTPFields.setCookies(joined: text)
    }
    #expect(count > 3000)
    #expect(visit.jar.count <= 40)
    let data = try CookieFileFormat.data(of: visit.jar.entries)
    #expect(try CookieFileFormat.entries(in: data) == visit.jar.entries)
  }

  @Test(.computesLong) func `no random date crashes`() {
    var random = SeededRandom(seed: 42)
    let words = [
      "1", "12", "123", "1234", "12345", ":", "::", " ", "-", "/", "Jan", "feb", "31", "99", "00", "24", "60",
      "99999999999999999999", "08:49:37", "GMT", "\u{FF}", "x", ";", ",", "\"",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...12, using: &random))
        .map { _ in words.randomElement(using: &random) ?? "" }.joined()
      if let date = CookieDate.parse(text.utf8) {
        #expect(-11_644_473_600...253_402_300_799 ~= date.timeIntervalSince1970)
      }
    }
  }

  @Test(.computesLong) func `no random file crashes, and none is read partly`() throws {
    var random = SeededRandom(seed: 43)
    let entries = (0..<4).map { number in
      CookieList.Entry(
        Cookie("n\(number)", "v", domain: "example.com"), created: Date(timeIntervalSince1970: 1),
        received: Date(timeIntervalSince1970: 1), used: Date(timeIntervalSince1970: 1))
    }
    let good = try CookieFileFormat.data(of: entries)
    for _ in 0..<20_000 {
      var data = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<max(1, data.count), using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where place < data.count: data[place] = .random(in: 0...(.max), using: &random)
        case 1 where place < data.count: data.remove(at: place)
        case 2: data.insert(.random(in: 0...(.max), using: &random), at: place)
        default: data = data.prefix(place)
        }
      }
      if data == good { continue }
      #expect(throws: CookieFileFault.self) { try CookieFileFormat.entries(in: data) }
    }
  }
}
