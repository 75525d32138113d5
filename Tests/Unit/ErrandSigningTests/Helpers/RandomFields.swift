import Foundation

@testable import ErrandSigning
@testable import ErrandStructuredFields

/// Makes structured fields, which are the same for the same seed. Also a source of random numbers.
struct RandomFields: RandomNumberGenerator {
  private var random: Seeded

  init(seed: UInt64) { random = Seeded(seed) }

  mutating func next() -> UInt64 { random.next() }

  mutating func list() -> StructuredList {
    StructuredList((0..<number(1...12)).map { _ in member() })
  }

  mutating func dictionary() -> StructuredDictionary {
    var dictionary = StructuredDictionary()
    for _ in 0..<number(1...20) { dictionary[key()] = member() }
    return dictionary
  }

  mutating func member() -> StructuredMember {
    number(0...3) == 0 ? .innerList(innerList()) : .item(item())
  }

  mutating func innerList() -> StructuredInnerList {
    StructuredInnerList((0..<number(0...5)).map { _ in item() }, parameters: parameters())
  }

  mutating func item() -> StructuredItem { StructuredItem(bareItem(), parameters: parameters()) }

  mutating func parameters() -> StructuredParameters {
    var parameters = StructuredParameters()
    for _ in 0..<max(0, number(-3...12)) { parameters[key()] = bareItem() }
    return parameters
  }

  /// So few that keys are repeated.
  mutating func key() -> String {
    text("abcxyz*", 1...1) + text("abc*_-.019", 0...2)
  }

  mutating func bareItem() -> BareItem {
    switch number(0...7) {
    case 0:
      .integer(Int64.random(in: -999_999_999_999_999...999_999_999_999_999, using: &self) >> number(0...49))
    case 1: .decimal(Double(number(-999_999_999_999_999...999_999_999_999_999) >> number(0...49)) / 1000)
    case 2: .string(text(Self.printable, 0...40))
    case 3: .token(text("aZ*", 1...1) + text("aZ09!#$%&'*+-.^_`|~:/", 0...20))
    case 4: .bytes(Data((0..<number(0...50)).map { _ in UInt8.random(in: 0...255, using: &self) }))
    case 5: .boolean(Bool.random(using: &self))
    case 6: .date(Date(timeIntervalSince1970: Double(number(-62_135_596_800...253_402_214_400))))
    default: .displayString(unicode(0...20))
    }
  }

  /// Returns bytes that a parser partly accepts.
  mutating func junk() -> String {
    let scalars = Self.junkScalars
    return String(
      String.UnicodeScalarView((0..<number(0...30)).map { _ in scalars[number(0...scalars.count - 1)] }))
  }

  private static let junkScalars = Array(
    "abZ09*_-.,;=()\"\\%?:@/+ \t\u{0}\r\n\u{7F}éü😀".unicodeScalars)

  static let printable = String(decoding: 0x20...0x7E as ClosedRange<UInt8>, as: UTF8.self)

  private mutating func text(_ alphabet: String, _ length: ClosedRange<Int>) -> String {
    let alphabet = Array(alphabet.utf8)
    return String(
      decoding: (0..<number(length)).map { _ in alphabet[number(0...alphabet.count - 1)] }, as: UTF8.self)
  }

  private mutating func unicode(_ length: ClosedRange<Int>) -> String {
    String(
      String.UnicodeScalarView(
        (0..<number(length)).map { _ in
          Unicode.Scalar(UInt32(number(0...0x10FFFF)) >> UInt32(number(0...14))) ?? "%"
        }))
  }
}
