import ErrandStructuredFields

/// The parameters of a query in the form `application/x-www-form-urlencoded` (WHATWG URL, section 5), encoded
/// as in signatures (RFC 9421, section 2.2.8).
enum QueryParameters {
  /// Returns the encoded values of the parameters of this name, in their order.
  /// - Parameter name: The encoded name.
  static func values(of name: String, in query: ArraySlice<UInt8>) -> [String] {
    query.split(separator: UInt8(ascii: "&")).compactMap { pair in
      let end = pair.firstIndex(of: FieldByte.equals) ?? pair.endIndex
      guard normalized(pair[..<end]) == name else { return nil }
      return normalized(pair[end...].dropFirst())
    }
  }

  /// Returns the text decoded and encoded again, so that equal texts have equal encodings.
  private static func normalized(_ bytes: ArraySlice<UInt8>) -> String {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == FieldByte.percent, let value = escaped(rest) {
        decoded.append(value)
        rest = rest.dropFirst(2)
      } else {
        decoded.append(byte == UInt8(ascii: "+") ? FieldByte.space : byte)
      }
    }
    // The standard replaces invalid UTF-8 with U+FFFD.
    return encoded(Array(String(decoding: decoded, as: UTF8.self).utf8)[...])
  }

  private static func escaped(_ bytes: ArraySlice<UInt8>) -> UInt8? {
    guard bytes.count >= 2, let high = digit(bytes[bytes.startIndex]),
      let low = digit(bytes[bytes.startIndex + 1])
    else { return nil }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    FieldByte.hexadecimal(FieldByte.isDigit(byte) ? byte : byte | 0x20)
  }

  /// Returns the text with all but letters, digits and `*-._` encoded. Unlike in a form, a space becomes `%20`.
  static func encoded(_ bytes: ArraySlice<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), FieldByte.star, FieldByte.minus, FieldByte.point,
        UInt8(ascii: "_"):
        output.append(byte)
      default: output += [FieldByte.percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
