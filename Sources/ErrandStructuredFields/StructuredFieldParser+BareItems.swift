#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StructuredFieldParser {
  /// Parses a value without its parameters (section 4.2.3.1).
  mutating func bareItem() throws(StructuredFieldError) -> BareItem {
    switch next {
    case let first? where FieldByte.beginsToken(first): .token(token())
    case let first? where FieldByte.isDigit(first): try number()
    case FieldByte.minus: try number()
    case FieldByte.quote: .string(try string())
    case FieldByte.colon: .bytes(try byteSequence())
    case FieldByte.question: .boolean(try boolean())
    case FieldByte.at: .date(try date())
    case FieldByte.percent: .displayString(try displayString())
    default: throw malformed("a value has to begin with a digit, a letter or one of - \" : ? @ % *")
    }
  }

  /// Parses an integer or a decimal number (section 4.2.4).
  private mutating func number() throws(StructuredFieldError) -> BareItem {
    let isNegative = skip(FieldByte.minus)
    var number: Int64 = 0
    let count = try digits(into: &number, atMost: 15)
    guard count > 0 else { throw malformed("a number has to have a digit") }
    guard next == FieldByte.point else { return .integer(isNegative ? -number : number) }
    guard count <= 12 else { throw malformed("a decimal has more than 12 digits before its point") }
    advance()
    let decimals = try digits(into: &number, atMost: 3)
    guard decimals > 0 else { throw malformed("a decimal has to have a digit after its point") }
    for _ in decimals..<3 { number *= 10 }
    return .decimal(Double(isNegative ? -number : number) / 1000)
  }

  /// Appends digits to a number.
  /// - Returns: The number of digits.
  private mutating func digits(
    into number: inout Int64, atMost maximum: Int
  ) throws(StructuredFieldError) -> Int {
    var count = 0
    while let byte = next, FieldByte.isDigit(byte) {
      guard count < maximum else { throw malformed("a number has more digits than \(maximum)") }
      number = number * 10 + Int64(byte - 48)
      count += 1
      advance()
    }
    return count
  }

  /// Parses a string (section 4.2.5).
  private mutating func string() throws(StructuredFieldError) -> String {
    advance()
    let start = position
    while let byte = next, FieldByte.isPrintable(byte), byte != FieldByte.backslash {
      if byte == FieldByte.quote {
        let text = text(from: start)
        advance()
        return text
      }
      advance()
    }
    var text = Array(bytes(from: start))
    while let byte = next, FieldByte.isPrintable(byte) {
      advance()
      switch byte {
      case FieldByte.quote: return String(decoding: text, as: UTF8.self)
      case FieldByte.backslash:
        guard let escaped = next, escaped == FieldByte.quote || escaped == FieldByte.backslash else {
          throw malformed("a \\ in a string has to be followed by \" or \\")
        }
        text.append(escaped)
        advance()
      default: text.append(byte)
      }
    }
    throw unfinished("a string")
  }

  /// Parses a token (section 4.2.6).
  private mutating func token() -> String {
    let start = position
    repeat { advance() } while next.map(FieldByte.isToken) ?? false
    return text(from: start)
  }

  /// Parses a byte sequence (section 4.2.7).
  private mutating func byteSequence() throws(StructuredFieldError) -> Data {
    advance()
    let start = position
    while let byte = next, byte != FieldByte.colon { advance() }
    guard !isAtEnd else { throw malformed("a byte sequence has no end; it needs a :") }
    guard let data = FieldBase64.decode(bytes(from: start)) else {
      throw malformed("a byte sequence is not base64")
    }
    advance()
    return data
  }

  /// Parses a boolean (section 4.2.8).
  private mutating func boolean() throws(StructuredFieldError) -> Bool {
    advance()
    if skip(UInt8(ascii: "1")) { return true }
    if skip(UInt8(ascii: "0")) { return false }
    throw malformed("a boolean has to be ?0 or ?1")
  }

  /// Parses a date (section 4.2.9).
  private mutating func date() throws(StructuredFieldError) -> Date {
    advance()
    guard case .integer(let seconds) = try number() else {
      throw malformed("a date has to have whole seconds")
    }
    return Date(timeIntervalSince1970: Double(seconds))
  }

  /// Parses a display string (section 4.2.10).
  private mutating func displayString() throws(StructuredFieldError) -> String {
    advance()
    guard skip(FieldByte.quote) else { throw malformed("a display string has to begin with %\"") }
    var text: [UInt8] = []
    while let byte = next, FieldByte.isPrintable(byte) {
      advance()
      switch byte {
      case FieldByte.quote:
        guard let text = String(validating: text, as: UTF8.self) else {
          throw malformed("a display string is not UTF-8")
        }
        return text
      case FieldByte.percent: text.append(try hexadecimal() << 4 | hexadecimal())
      default: text.append(byte)
      }
    }
    throw unfinished("a display string")
  }

  private mutating func hexadecimal() throws(StructuredFieldError) -> UInt8 {
    guard let digit = next.flatMap(FieldByte.hexadecimal) else {
      throw malformed("a % in a display string has to be followed by two digits of 0-9 or a-f")
    }
    advance()
    return digit
  }

  private func unfinished(_ kind: String) -> StructuredFieldError {
    isAtEnd
      ? malformed("\(kind) has no end; it needs a \"")
      : malformed("\(kind) has a character that is not printable ASCII")
  }
}
