import Foundation
import Testing

@testable import ErrandSigning
@testable import ErrandStructuredFields

@Suite struct StructuredNumberTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("00", 0), ("042", 42), ("-042", -42), ("999999999999999", 999_999_999_999_999),
      ("-999999999999999", -999_999_999_999_999), ("000000000000001", 1),
    ] as [(String, Int64)])
  func `an integer has up to 15 digits, and may have zeros before them`(text: String, value: Int64) throws {
    #expect(try StructuredItem(parsing: text).integer == value)
    #expect(try StructuredItem(.integer(value)).serialized() == String(value))
  }

  @Test(
    arguments: [
      ("1.0", 1, "1.0"), ("1.123", 1.123, "1.123"), ("-1.5", -1.5, "-1.5"), ("0.50", 0.5, "0.5"),
      ("0.040", 0.04, "0.04"), ("0002.5", 2.5, "2.5"), ("-0.0", 0, "0.0"), ("0.001", 0.001, "0.001"),
      ("123456789012.1", 123_456_789_012.1, "123456789012.1"),
      ("999999999999.999", 999_999_999_999.999, "999999999999.999"),
      ("-999999999999.999", -999_999_999_999.999, "-999999999999.999"),
    ] as [(String, Double, String)])
  func `a decimal has up to 12 digits before its point and 3 after it`(
    text: String, value: Double, serialized: String
  ) throws {
    #expect(try StructuredItem(parsing: text).decimal == value)
    #expect(try BareItem.decimal(value).serialized() == serialized)
  }

  @Test(arguments: [
    "-", "--0", "- 1", "+1", "-a23", "4-2", "1000000000000000", "-1000000000000000", "0000000000000001",
    "1.", "1.x", ".5", "-.5", "1..4", "1.5.4", "1.1234", "1.0000", "1234567890123.0", "1234567890123.",
    "1. 5", "1 .5", "1e3", "1_000", "1,000.0", "0x1F", "٣", "99999999999999999999999999",
  ])
  func `any other text is not parsed as a number`(text: String) {
    #expect(throws: StructuredFieldError.self) { try StructuredItem(parsing: text) }
  }

  @Test(arguments: [
    (0.0015, "0.002"), (0.0025, "0.002"), (-0.0015, "-0.002"), (-0.0025, "-0.002"), (9.9995, "10.0"),
    (1.0005, "1.0"), (1.0015, "1.002"), (1.0025, "1.002"), (0.0004, "0.0"), (-0.0004, "0.0"),
    (0.0005, "0.0"), (-0.0005, "0.0"), (0.00050001, "0.001"), (123.4564, "123.456"), (123.4566, "123.457"),
    (999_999_999_999.9985, "999999999999.998"),
  ])
  func `a decimal is rounded to three digits, and a tie to the even digit`(
    value: Double, text: String
  ) throws {
    #expect(try BareItem.decimal(value).serialized() == text)
  }

  @Test(arguments: [0.0015, 0.0025, 1.0015, 1.0025, 77.7775, 9.9995])
  func `a decimal next to a tie is rounded to the nearer value`(middle: Double) throws {
    let below = try #require(Double(BareItem.decimal(middle.nextDown).serialized()))
    let above = try #require(Double(BareItem.decimal(middle.nextUp).serialized()))
    #expect(below < middle)
    #expect(above > middle)
  }

  @Test(
    arguments: [
      .integer(1_000_000_000_000_000), .integer(-1_000_000_000_000_000), .integer(.max), .integer(.min),
      .decimal(1_000_000_000_000), .decimal(-1_000_000_000_000), .decimal(999_999_999_999.9996),
      .decimal(1e300), .decimal(.infinity), .decimal(-.infinity), .decimal(.nan),
      .decimal(.greatestFiniteMagnitude), .date(Date(timeIntervalSince1970: 1e15)),
      .date(Date(timeIntervalSince1970: -1e15)), .date(Date(timeIntervalSince1970: .infinity)),
      .date(.distantFuture + 1e300),
    ] as [BareItem])
  func `a number out of range is refused when it is serialized`(value: BareItem) {
    #expect { try value.serialized() } throws: { ($0 as? StructuredFieldError)?.code == .notSerializable }
  }

  @Test func `a date that is not a number is refused when it is serialized`() {
    // Not an argument of the test, because Foundation's description of it crashes the process.
    let isRefused = (try? BareItem.date(Date(timeIntervalSince1970: .nan)).serialized()) == nil
    #expect(isRefused)
  }

  @Test(
    arguments: [
      ("@0", 0), ("@-1", -1), ("@1659578233", 1_659_578_233), ("@-62135596800", -62_135_596_800),
      ("@253402214400", 253_402_214_400), ("@999999999999999", 999_999_999_999_999),
      ("@-999999999999999", -999_999_999_999_999),
    ] as [(String, Double)])
  func `a date is a number of seconds since 1970`(text: String, seconds: Double) throws {
    let item = try StructuredItem(parsing: text)
    #expect(item.date == Date(timeIntervalSince1970: seconds))
    #expect(try item.serialized() == text)
  }

  @Test func `a date between two seconds is serialized as the earlier one`() throws {
    #expect(try BareItem.date(Date(timeIntervalSince1970: 1.75)).serialized() == "@1")
    #expect(try BareItem.date(Date(timeIntervalSince1970: -1.75)).serialized() == "@-2")
  }

  @Test(arguments: ["@", "@1.0", "@-", "@a", "@@1", "@1000000000000000", "@ 1", "@\"1\"", "@1659578233.5"])
  func `any other text is not parsed as a date`(text: String) {
    #expect(throws: StructuredFieldError.self) { try StructuredItem(parsing: text) }
  }
}
