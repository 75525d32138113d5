import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Parses the dates of `Expires` (section 5.1.1): day, month, year and time in any order, between nearly any
/// delimiters. Names of days and time zones are ignored.
struct CookieDate {
  private var time: (hour: Int, minute: Int, second: Int)?
  private var day: Int?
  private var month: Int?
  private var year: Int?

  private init() {}

  /// Returns nil if the text is not a date, or the date does not exist.
  static func parse(_ text: some Collection<UInt8>) -> Date? {
    var parts = CookieDate()
    for token in text.split(whereSeparator: isDelimiter) { parts.take(Array(token)) }
    return parts.date
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  private mutating func take(_ token: [UInt8]) {
    if time == nil, let found = Self.time(token) {
      time = found
    } else if day == nil, let found = Self.number(token, digits: 1...2) {
      day = found
    } else if month == nil, let found = Self.month(token) {
      month = found
    } else if year == nil, let found = Self.number(token, digits: 2...4) {
      year = found
    }
  }

  private var date: Date? {
    guard let time, let day, let month, var year else { return nil }
    if 70...99 ~= year { year += 1900 } else if 0...69 ~= year { year += 2000 }
    guard year >= 1601, 1...Self.days(of: month, in: year) ~= day, time.hour <= 23, time.minute <= 59,
      time.second <= 59
    else { return nil }
    let days = HTTPDate.daysSince1970(year: year, month: month, day: day)
    return Date(
      timeIntervalSince1970: Double(((days * 24 + time.hour) * 60 + time.minute) * 60 + time.second))
  }

  private static func days(of month: Int, in year: Int) -> Int {
    let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return month == 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ].map { Array($0.utf8) }

  /// Returns the month that the token begins with, from 1 to 12.
  private static func month(_ token: [UInt8]) -> Int? {
    months.firstIndex(of: token.prefix(3).map(ASCII.lowered)).map { $0 + 1 }
  }

  /// Returns the number that the token begins with; nil if it has more or fewer digits.
  private static func number(_ token: some Collection<UInt8>, digits: ClosedRange<Int>) -> Int? {
    // One digit more than allowed is read, so that no number is too large.
    let found = token.prefix(digits.upperBound + 1).prefix { 48...57 ~= $0 }
    return digits ~= found.count ? found.reduce(0) { $0 * 10 + Int($1 - 48) } : nil
  }

  /// Returns the time of a token such as `8:49:37` or `08:49:37Z`.
  private static func time(_ token: [UInt8]) -> (hour: Int, minute: Int, second: Int)? {
    let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard fields.count == 3, (fields[0] + fields[1]).allSatisfy({ 48...57 ~= $0 }),
      let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
      let second = number(fields[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }
}
