import ErrandStructuredFields

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Signing writes small pieces into one buffer. These methods need no second buffer.
extension [UInt8] {
  /// Appends the text's UTF-8.
  mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: $0) }
  }

  /// Appends the digits of a number.
  mutating func append(number: Int64) {
    if number < 0 { append(FieldByte.minus) }
    let start = count
    var rest = number.magnitude
    repeat {
      append(UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0"))
      rest /= 10
    } while rest > 0
    self[start...].reverse()
  }

  /// Appends data in base64 (RFC 4648, section 4).
  mutating func append(base64 data: Data) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    alphabet.withUTF8Buffer { alphabet in
      data.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: bytes.count, by: 3) {
          let count = Swift.min(3, bytes.count - start)
          var bits = UInt32(bytes[start]) << 16
          if count > 1 { bits |= UInt32(bytes[start + 1]) << 8 }
          if count > 2 { bits |= UInt32(bytes[start + 2]) }
          for index in 0..<4 {
            append(index > count ? FieldByte.equals : alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)])
          }
        }
      }
    }
  }
}
