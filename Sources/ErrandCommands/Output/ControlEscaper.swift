/// Escapes control characters, so that a terminal shows them and does not obey them. The text may arrive in
/// pieces that are cut anywhere.
///
/// It writes these as `\x1b` or `\u{9b}`: C0 (with `keepsLines`, all but line breaks and tabs), DEL, C1,
/// characters that change the direction of text, and bytes that are not UTF-8, because some terminals take
/// those for C1.
struct ControlEscaper: Sendable {
  private let keepsLines: Bool
  /// The first bytes of an incomplete character.
  private var begun: [UInt8] = []
  private var missing = 0

  init(keepsLines: Bool) { self.keepsLines = keepsLines }

  /// Returns one line of text with its control characters escaped.
  static func line(_ text: String) -> String {
    var escaper = ControlEscaper(keepsLines: false)
    let bytes = escaper.escape(text.utf8) + escaper.finish()
    return String(decoding: bytes, as: UTF8.self)
  }

  mutating func escape(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var shown: [UInt8] = []
    shown.reserveCapacity(bytes.underestimatedCount)
    for byte in bytes { take(byte, &shown) }
    return shown
  }

  /// Returns the incomplete character at the end of the text, escaped.
  mutating func finish() -> [UInt8] {
    var shown: [UInt8] = []
    for byte in begun { Self.showByte(byte, &shown) }
    begun = []
    missing = 0
    return shown
  }

  private mutating func take(_ byte: UInt8, _ shown: inout [UInt8]) {
    if missing > 0 { return takeContinuation(byte, &shown) }
    switch byte {
    case 0x20...0x7E: shown.append(byte)
    case 0x09 where keepsLines, 0x0A where keepsLines: shown.append(byte)
    case 0xC2...0xDF: begin(byte, 1)
    case 0xE0...0xEF: begin(byte, 2)
    case 0xF0...0xF4: begin(byte, 3)
    default: Self.showByte(byte, &shown)
    }
  }

  private mutating func begin(_ byte: UInt8, _ count: Int) {
    begun = [byte]
    missing = count
  }

  private mutating func takeContinuation(_ byte: UInt8, _ shown: inout [UInt8]) {
    guard isAllowed(byte) else {
      shown += finish()
      return take(byte, &shown)
    }
    begun.append(byte)
    missing -= 1
    guard missing == 0 else { return }
    let character = begun
    begun = []
    let scalar = String(decoding: character, as: UTF8.self).unicodeScalars.first
    if let scalar, Self.isHarmless(scalar) {
      shown += character
    } else {
      shown += "\\u{\(String(scalar?.value ?? 0, radix: 16))}".utf8
    }
  }

  /// Returns false for overlong forms, surrogates, and code points past U+10FFFF.
  private func isAllowed(_ byte: UInt8) -> Bool {
    guard begun.count == 1 else { return 0x80...0xBF ~= byte }
    return switch begun[0] {
    case 0xE0: 0xA0...0xBF ~= byte
    case 0xED: 0x80...0x9F ~= byte
    case 0xF0: 0x90...0xBF ~= byte
    case 0xF4: 0x80...0x8F ~= byte
    default: 0x80...0xBF ~= byte
    }
  }

  static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
    default: true
    }
  }

  private static func showByte(_ byte: UInt8, _ shown: inout [UInt8]) {
    switch byte {
    case 0x09: shown += "\\t".utf8
    case 0x0A: shown += "\\n".utf8
    case 0x0D: shown += "\\r".utf8
    default:
      let digits = Array("0123456789abcdef".utf8)
      shown += [0x5C, 0x78, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
}
