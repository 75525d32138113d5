/// Default limits of structured fields (RFC 9651).
enum StructuredFields {
  /// The longest value that is parsed, in bytes: 262,144, which is also the limit for all fields of a
  /// response. A parsed value takes about 40 times the memory of its text, at most.
  static let maximumBytes = 256 << 10
}

/// The kinds of bytes in structured fields.
package enum FieldByte {
  package static let space = UInt8(ascii: " ")
  package static let tab = UInt8(ascii: "\t")
  package static let quote = UInt8(ascii: "\"")
  package static let backslash = UInt8(ascii: "\\")
  package static let percent = UInt8(ascii: "%")
  package static let comma = UInt8(ascii: ",")
  package static let semicolon = UInt8(ascii: ";")
  package static let equals = UInt8(ascii: "=")
  package static let colon = UInt8(ascii: ":")
  package static let minus = UInt8(ascii: "-")
  package static let point = UInt8(ascii: ".")
  package static let question = UInt8(ascii: "?")
  package static let at = UInt8(ascii: "@")
  package static let star = UInt8(ascii: "*")
  package static let open = UInt8(ascii: "(")
  package static let close = UInt8(ascii: ")")

  package static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
  package static func isLowercase(_ byte: UInt8) -> Bool { byte &- 97 < 26 }
  package static func isLetter(_ byte: UInt8) -> Bool { isLowercase(byte | 0x20) }

  /// Returns true for a byte that a string can contain: the printable ASCII characters and the space.
  package static func isPrintable(_ byte: UInt8) -> Bool { byte &- 0x20 < 0x5F }

  package static func beginsKey(_ byte: UInt8) -> Bool { isLowercase(byte) || byte == star }
  package static func beginsToken(_ byte: UInt8) -> Bool { isLetter(byte) || byte == star }

  /// Returns true for a byte that a key can contain (section 4.1.1.3).
  package static func isKey(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
      minus, point, star:
      true
    default: false
    }
  }

  /// Returns true for a byte that a token can contain: RFC 9110's token characters, `:` and `/` (section 4.1.7).
  package static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"),
      percent, UInt8(ascii: "&"), UInt8(ascii: "'"), star, UInt8(ascii: "+"), minus, point,
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"), colon,
      UInt8(ascii: "/"):
      true
    default: false
    }
  }

  /// Returns the value of a hexadecimal digit in lower case.
  package static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
    default: nil
    }
  }
}
