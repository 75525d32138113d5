#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Base64 (RFC 4648, section 4), read as leniently as structured fields require: padding may be missing, and
/// pad bits may be set (RFC 9651, section 4.2.7).
enum FieldBase64 {
  /// Returns the decoded bytes; nil if the text has another character, too much padding, padding that is not
  /// at the end, or a single character left over.
  static func decode(_ text: UnsafeBufferPointer<UInt8>) -> Data? {
    var length = text.count
    while length > 0, text.count - length < 2, text[length - 1] == FieldByte.equals { length -= 1 }
    let (rest, padding) = (length % 4, text.count - length)
    guard rest != 1, padding == 0 || rest > 0 && rest + padding <= 4 else { return nil }

    var output: [UInt8] = []
    output.reserveCapacity(length / 4 * 3 + 2)
    var (bits, bitCount): (UInt32, UInt32) = (0, 0)
    for byte in text[..<length] {
      guard let value = value(byte) else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      output.append(UInt8(truncatingIfNeeded: bits >> bitCount))
    }
    return Data(output)
  }

  /// Returns the six bits of a character.
  private static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
