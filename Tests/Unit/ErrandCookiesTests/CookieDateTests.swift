import ErrandTesting
import Foundation
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite struct CookieDateTests {
  private func parse(_ text: String) -> Int? {
    CookieDate.parse(text.utf8).map { Int($0.timeIntervalSince1970) }
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "6 nov 94 8:49:37", "1994 6 November 08:49:37", "08:49:37 06 nov 1994", "NOVember-06/1994\t08:49:37",
    "Sun, 06-Nov-1994 08:49:37 GMT-0800 (PST)", "\"Sun, 06 Nov 1994 08:49:37\"", "06 94 Nov 08:49:37",
    "Sun, 6th Nov 1994AD 8:49:37pm", "06 Nov 1994 08:49:37 11:22:33 12 Dec 2020",
  ])
  func `a date is parsed from its parts, in any order and with any separators`(_ text: String) {
    #expect(parse(text) == 784_111_777)
  }

  @Test(arguments: [
    "", "GMT", "06 Nov 1994", "06 Nov 08:49:37", "Nov 1994 08:49:37", "06 1994 08:49:37",
    "006 Nov 1994 08:49:37", "00 Nov 1994 08:49:37", "32 Jan 1994 08:49:37", "06 Nov 1600 08:49:37",
    "06 Nov 19941 08:49:37", "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:00", "06 Nov 1994 08:49:60",
    "06 Nov 1994 08:49", "06 Nov 1994 008:49:37", "06 Nov 1994 08:4x:37", "06 Nov 1994 08: 49:37",
    "06 Nov 1994 08:49:037", "31 Apr 1994 00:00:00", "29 Feb 1994 00:00:00", "29 Feb 2100 00:00:00",
    "06 No 1994 08:49:37", "6 Nov 999999999999999999999999 08:49:37", "1994-11-06T08:49:37Z",
  ])
  func `a date with a part that is missing, out of range or too long is invalid`(_ text: String) {
    #expect(parse(text) == nil)
  }

  @Test func `a year of two digits is between 1970 and 2069`() {
    #expect(parse("1 Jan 70 00:00:00") == 0)
    #expect(parse("1 Jan 99 00:00:00") == parse("1 Jan 1999 00:00:00"))
    #expect(parse("1 Jan 00 00:00:00") == parse("1 Jan 2000 00:00:00"))
    #expect(parse("1 Jan 69 00:00:00") == parse("1 Jan 2069 00:00:00"))
  }

  @Test func `a year of three digits is out of range`() {
    #expect(parse("1 Jan 199 00:00:00") == nil)
  }

  @Test func `the first and the last days of months are valid`() {
    #expect(parse("29 Feb 2000 00:00:00") != nil)
    #expect(parse("29 Feb 2024 00:00:00") != nil)
    #expect(parse("31 Dec 9999 23:59:59") == 253_402_300_799)
    #expect(parse("1 Jan 1601 00:00:00") == -11_644_473_600)
  }

  @Test func `bytes that are not text belong to the word around them`() {
    #expect(CookieDate.parse(Array("6".utf8) + [0xFF] + Array(" Nov 1994 08:49:37".utf8)) != nil)
    #expect(CookieDate.parse(Array("6 ".utf8) + [0xFF] + Array("Nov 1994 08:49:37".utf8)) == nil)
  }

  @Test func `every written date is parsed`() {
    var random = SeededRandom(seed: 11)
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for _ in 0..<2000 {
      let seconds = Int.random(in: -11_644_473_600...253_402_300_799, using: &random)
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
      let date = "\(parts.day ?? 0) \(months[(parts.month ?? 1) - 1]) \(parts.year ?? 0)"
      let time = "\(parts.hour ?? 0):\(parts.minute ?? 0):\(parts.second ?? 0)"
      #expect(parse("\(date) \(time) GMT") == seconds)
      #expect(parse("\(time), \(date)") == seconds)
    }
  }
}
