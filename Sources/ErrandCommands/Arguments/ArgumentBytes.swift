/// Represents arguments that are not UTF-8 as strings without losing a byte, because `-d` sends its value
/// unchanged.
///
/// In such a string each byte from 0x80 on is a character of a private-use area. An argument that already
/// contains such a character is escaped in the same way. So a string with such a character always stands for
/// bytes.
enum ArgumentBytes {
  private static let area: ClosedRange<UInt32> = 0x10_FF00...0x10_FFFF

  /// Returns the text of an argument.
  static func text(of bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self), !isEscaped(text) { return text }
    var text = String.UnicodeScalarView()
    for byte in bytes {
      let value = byte < 0x80 ? UInt32(byte) : area.lowerBound + UInt32(byte)
      if let scalar = Unicode.Scalar(value) { text.append(scalar) }
    }
    return String(text)
  }

  /// Returns true if the text stands for bytes that are not UTF-8.
  static func isEscaped(_ text: String) -> Bool {
    text.unicodeScalars.contains { area.contains($0.value) }
  }

  /// Returns the bytes of an argument.
  static func bytes(of text: String) -> [UInt8] {
    guard isEscaped(text) else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in
      area.contains(scalar.value)
        ? [UInt8(scalar.value - area.lowerBound)] : Array(UTF8.encode(scalar) ?? .init())
    }
  }

  /// Returns the argument as text without escaped bytes.
  /// - Throws: `UsageError` if it is not UTF-8, because replacement characters would name another file.
  static func checked(_ text: String, _ name: String) throws(UsageError) -> String {
    guard isEscaped(text) else { return text }
    if let checked = String(validating: bytes(of: text), as: UTF8.self) { return checked }
    let isBody = OptionSpec.bodies.contains { name.hasSuffix(" \($0.name)") }
    throw UsageError(
      "\(name) is not UTF-8", hint: isBody ? "To send such bytes, put them into a file: -d @FILE." : nil)
  }
}
