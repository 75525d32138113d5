#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Parses HTTP dates (RFC 9110, section 5.6.7) in the current form and the two obsolete forms that recipients
/// must accept. It also accepts `UTC`, or an offset such as `+0000`, instead of `GMT`.
package enum HTTPDate {
  package static func parse(_ text: String) -> Date? {
    let words = text.split { " ,-:".contains($0) }.map(String.init)
    switch words.count {
    // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
    case 8:
      guard let offset = text.split(separator: " ").last.flatMap(offset) else { return nil }
      return date(words[1], words[2], year(words[3]), words[4], words[5], words[6])?
        .addingTimeInterval(Double(-offset))
    // Sun Nov  6 08:49:37 1994
    case 7: return date(words[2], words[1], year(words[6]), words[3], words[4], words[5])
    default: return nil
    }
  }

  /// Parses one of the three forms of RFC 9110, and no other: where a cache must not take another text for a date. It
  /// ignores the case of names.
  static func parseExactly(_ text: String) -> Date? {
    let shape = String(
      decoding: text.utf8.map { byte in
        switch byte {
        case 48...57: UInt8(ascii: "0")
        case 65...90, 97...122: UInt8(ascii: "a")
        default: byte
        }
      }, as: UTF8.self)
    let lowercased = ASCII.lowercased(text)
    switch shape {
    case "aaa, 00 aaa 0000 00:00:00 aaa": guard lowercased.hasSuffix("gmt") else { return nil }
    case "aaa aaa 00 00:00:00 0000", "aaa aaa  0 00:00:00 0000": break
    default:
      let day = shape.prefix { $0 == "a" }
      guard 6...9 ~= day.count, shape.dropFirst(day.count) == ", 00-aaa-00 00:00:00 aaa",
        lowercased.hasSuffix("gmt")
      else { return nil }
    }
    return parse(text)
  }

  /// Returns the number of seconds by which a time zone is ahead of GMT; nil for an unknown zone.
  private static func offset(of zone: Substring) -> Int? {
    let bytes = Array(zone.utf8)
    if ["GMT", "UTC", "UT"].contains(where: { ASCII.equalIgnoringCase($0, String(zone)) }) { return 0 }
    guard bytes.count == 5, let sign = bytes.first, "+-".utf8.contains(sign),
      let hours = ASCII.wholeNumber(zone.dropFirst().prefix(2)), hours < 24,
      let minutes = ASCII.wholeNumber(zone.suffix(2)), minutes < 60
    else { return nil }
    return (sign == UInt8(ascii: "-") ? -1 : 1) * Int(hours * 60 + minutes) * 60
  }

  /// Returns the year. Two digits stand for the years 1970 to 2069.
  private static func year(_ text: String) -> Int? {
    guard let number = Int(text), number >= 0 else { return nil }
    return text.utf8.count > 2 ? number : number < 70 ? 2000 + number : 1900 + number
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func date(
    _ day: String, _ month: String, _ year: Int?, _ hour: String, _ minute: String, _ second: String
  ) -> Date? {
    guard let year, 1600...9999 ~= year,
      let month = months.firstIndex(where: { ASCII.equalIgnoringCase($0, month) }),
      let day = Int(day), 1...31 ~= day, let hour = Int(hour), 0...23 ~= hour,
      let minute = Int(minute), 0...59 ~= minute, let second = Int(second), 0...60 ~= second
    else { return nil }
    let days = daysSince1970(year: year, month: month + 1, day: day)
    return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
  }

  /// Returns the days since 1970 in the Gregorian calendar. It counts in years that begin in March, so that
  /// the leap day is the last day.
  package static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
