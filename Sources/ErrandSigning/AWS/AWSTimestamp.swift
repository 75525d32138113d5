import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A point in time in the basic format of ISO 8601, in UTC, such as `20150830T123600Z`.
struct AWSTimestamp: Sendable, Hashable {
  /// The seconds since 1970 that can be written: the years from 1970 to 9999.
  private static let range = 0.0..<253_402_300_800.0

  let text: String
  /// The date alone, such as `20150830`.
  var day: String { String(text.prefix(8)) }

  /// Returns false for a date that is out of range, or not a number.
  static func canWrite(_ date: Date) -> Bool { range.contains(date.timeIntervalSince1970) }

  /// - Throws: `SigningError.invalidParameter` if the date is out of range.
  init(_ date: Date) throws(SigningError) {
    guard Self.canWrite(date) else {
      throw SigningError(
        .invalidParameter, "the date is before 1970 or after 9999, which cannot be signed; check the clock")
    }
    let seconds = Int(date.timeIntervalSince1970)
    let (year, month, day) = Self.civil(seconds / 86_400)
    let time = seconds % 86_400
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    text =
      "\(year)\(two(month))\(two(day))T\(two(time / 3600))\(two(time / 60 % 60))\(two(time % 60))Z"
  }

  /// Returns the date that a text stands for; nil if the text has another format.
  static func date(_ text: String) -> Date? {
    let bytes = Array(text.utf8)
    guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      var number = 0
      for byte in bytes[range] {
        guard 48...57 ~= byte else { return nil }
        number = number * 10 + Int(byte - 48)
      }
      return number
    }
    guard let year = number(0..<4), year >= 1970, let month = number(4..<6), 1...12 ~= month,
      let day = number(6..<8), 1...31 ~= day, let hour = number(9..<11), hour < 24,
      let minute = number(11..<13), minute < 60, let second = number(13..<15), second < 60
    else { return nil }
    let days = HTTPDate.daysSince1970(year: year, month: month, day: day)
    return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
  }

  /// Returns the date of a day since 1970. It counts years from March, so that the leap day is the last day.
  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
    return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
  }
}
