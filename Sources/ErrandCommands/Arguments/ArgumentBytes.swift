/// Arguments that are not UTF-8, as texts that keep every byte: the values of `-d` are sent as they were given.
///
/// In such a text each byte from 0x80 on is a character of a private-use area. An argument that has such a
/// character itself is written in the same way. So a text with one of them always stands for bytes.
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

  /// True if the text stands for bytes.
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

  /// Returns the argument as a proper text.
  /// - Throws: `UsageError` if it is not UTF-8: with replacements it would name another file.
  static func checked(_ text: String, _ name: String) throws(UsageError) -> String {
    guard isEscaped(text) else { return text }
    if let checked = String(validating: bytes(of: text), as: UTF8.self) { return checked }
    throw UsageError("\(name) is not UTF-8", hint: "Give such bytes in a file, as in -d @FILE.")
  }
}
