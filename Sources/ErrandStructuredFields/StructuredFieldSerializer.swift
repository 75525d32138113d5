#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Serializes structured fields (RFC 9651, section 4.1). Each method appends one value.
struct StructuredFieldSerializer {
  private var output: [UInt8] = []

  static func serialize(
    _ body: (inout StructuredFieldSerializer) throws(StructuredFieldError) -> Void
  ) throws(StructuredFieldError) -> String {
    var serializer = StructuredFieldSerializer()
    try body(&serializer)
    return String(decoding: serializer.output, as: UTF8.self)
  }

  // MARK: Structures

  /// Section 4.1.1.
  mutating func append(_ list: StructuredList) throws(StructuredFieldError) {
    for (index, member) in list.members.enumerated() {
      if index > 0 { output += [FieldByte.comma, FieldByte.space] }
      try append(member)
    }
  }

  /// Section 4.1.2.
  mutating func append(_ dictionary: StructuredDictionary) throws(StructuredFieldError) {
    for (index, (key, member)) in dictionary.enumerated() {
      if index > 0 { output += [FieldByte.comma, FieldByte.space] }
      try append(key: key)
      if case .item(let item) = member, item.value == .boolean(true) {
        try append(item.parameters)
      } else {
        output.append(FieldByte.equals)
        try append(member)
      }
    }
  }

  mutating func append(_ member: StructuredMember) throws(StructuredFieldError) {
    switch member {
    case .item(let item): try append(item)
    case .innerList(let list): try append(list)
    }
  }

  /// Section 4.1.1.1.
  mutating func append(_ list: StructuredInnerList) throws(StructuredFieldError) {
    output.append(FieldByte.open)
    for (index, item) in list.items.enumerated() {
      if index > 0 { output.append(FieldByte.space) }
      try append(item)
    }
    output.append(FieldByte.close)
    try append(list.parameters)
  }

  /// Section 4.1.3.
  mutating func append(_ item: StructuredItem) throws(StructuredFieldError) {
    try append(item.value)
    try append(item.parameters)
  }

  /// Section 4.1.1.2.
  private mutating func append(_ parameters: StructuredParameters) throws(StructuredFieldError) {
    for (key, value) in parameters {
      output.append(FieldByte.semicolon)
      try append(key: key)
      if value == .boolean(true) { continue }
      output.append(FieldByte.equals)
      try append(value)
    }
  }

  /// Section 4.1.1.3.
  private mutating func append(key: String) throws(StructuredFieldError) {
    guard let first = key.utf8.first, FieldByte.beginsKey(first), key.utf8.allSatisfy(FieldByte.isKey) else {
      throw notSerializable(
        "a key has to begin with a lowercase letter or *, and to contain only those, digits, _, - and .")
    }
    output += key.utf8
  }

  // MARK: Bare items

  /// Section 4.1.3.1.
  mutating func append(_ value: BareItem) throws(StructuredFieldError) {
    switch value {
    case .integer(let value): try append(integer: value)
    case .decimal(let value): try append(decimal: value)
    case .string(let value): try append(string: value)
    case .token(let value): try append(token: value)
    case .bytes(let value): output += ":\(value.base64EncodedString()):".utf8
    case .boolean(let value): output += (value ? "?1" : "?0").utf8
    case .date(let value): try append(date: value)
    case .displayString(let value): append(displayString: value)
    }
  }

  /// Section 4.1.4.
  private mutating func append(integer: Int64) throws(StructuredFieldError) {
    guard integer.magnitude <= 999_999_999_999_999 else {
      throw notSerializable("an integer can have at most 15 digits; send a larger one as a string")
    }
    output += String(integer).utf8
  }

  /// Section 4.1.5.
  private mutating func append(decimal: Double) throws(StructuredFieldError) {
    guard let thousandths = Self.thousandths(decimal), thousandths.magnitude <= 999_999_999_999_999 else {
      throw notSerializable("a decimal can have at most 12 digits before its point")
    }
    let whole = thousandths.magnitude / 1000
    var fraction = thousandths.magnitude % 1000
    if thousandths < 0 { output.append(FieldByte.minus) }
    output += String(whole).utf8
    output.append(FieldByte.point)
    repeat {
      output.append(UInt8(ascii: "0") + UInt8(fraction / 100))
      fraction = fraction % 100 * 10
    } while fraction > 0
  }

  /// Returns the nearest number of thousandths, with ties to the even one; nil if it does not fit.
  private static func thousandths(_ decimal: Double) -> Int64? {
    guard decimal.magnitude < 1e13 else { return nil }
    let halves = (decimal * 2000).rounded()
    guard halves.truncatingRemainder(dividingBy: 2) != 0 else { return Int64(halves / 2) }
    // Its writer means 0.0015 as a tie, although the nearest binary number is slightly larger.
    let middle = halves / 2000
    if decimal == middle { return Int64((halves / 2).rounded(.toNearestOrEven)) }
    return Int64((halves + (decimal > middle ? 1 : -1)) / 2)
  }

  /// Section 4.1.6.
  private mutating func append(string: String) throws(StructuredFieldError) {
    output.append(FieldByte.quote)
    for byte in string.utf8 {
      guard FieldByte.isPrintable(byte) else {
        throw notSerializable(
          "a string can have only printable ASCII characters; send others as a display string")
      }
      if byte == FieldByte.quote || byte == FieldByte.backslash { output.append(FieldByte.backslash) }
      output.append(byte)
    }
    output.append(FieldByte.quote)
  }

  /// Section 4.1.7.
  private mutating func append(token: String) throws(StructuredFieldError) {
    guard let first = token.utf8.first, FieldByte.beginsToken(first),
      token.utf8.allSatisfy(FieldByte.isToken)
    else {
      throw notSerializable(
        "a token has to begin with a letter or *, and cannot contain a space, quote, comma or bracket; send "
          + "other text as a string")
    }
    output += token.utf8
  }

  /// Section 4.1.10.
  private mutating func append(date: Date) throws(StructuredFieldError) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard seconds.magnitude < 1e15 else {
      throw notSerializable("a date can have at most 15 digits of seconds since 1970")
    }
    output.append(FieldByte.at)
    try append(integer: Int64(seconds))
  }

  /// Section 4.1.11.
  private mutating func append(displayString: String) {
    output += [FieldByte.percent, FieldByte.quote]
    for byte in displayString.utf8 {
      if FieldByte.isPrintable(byte), byte != FieldByte.percent, byte != FieldByte.quote {
        output.append(byte)
      } else {
        let digits = String(byte, radix: 16).utf8
        output.append(FieldByte.percent)
        if digits.count == 1 { output.append(UInt8(ascii: "0")) }
        output += digits
      }
    }
    output.append(FieldByte.quote)
  }

  private func notSerializable(_ message: String) -> StructuredFieldError {
    StructuredFieldError(.notSerializable, message)
  }
}
