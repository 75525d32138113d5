import ErrandTesting

/// Malicious strings and some ordinary ones.
struct Junk {
  var random: SeededRandom

  private static let evil = [
    "\r", "\n", "\r\n", "\u{0}", ":", " ", "\t", "\u{7F}", "\u{1B}", "%", "%0d%0a", "%00", "\"", "\\", ";",
    ",", "@",
    "/", "?", "#", "é", "\u{2028}", "🚀", "\u{FF0F}", "|", "[", "]", "{", "=", "&", "%2", "--", "'",
    "\r\nX-Injected: 1", "\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n", "\nTransfer-Encoding: chunked",
    "\r\n\t folded",
    "\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1",
  ]
  private static let plain = Array("abcXYZ019-_.~".unicodeScalars)

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  /// Returns a word of characters that have no special meaning anywhere.
  mutating func word(_ range: Range<Int> = 1..<9) -> String {
    var text = ""
    for _ in 0..<number(range) { text.unicodeScalars.append(pick(Self.plain)) }
    return text
  }

  /// Returns a text that is sometimes harmless, empty, or very long.
  mutating func text() -> String {
    if chance(12) { return "" }
    if chance(3) { return word() }
    if chance(900) {
      return String(repeating: pick(["a", "é", "\r\n", "%"]), count: number(100_000..<700_000))
    }
    var text = ""
    for _ in 0..<number(1..<5) {
      text += chance(2) ? word(0..<5) : pick(Self.evil)
      if chance(12) { text.unicodeScalars.append(Unicode.Scalar(UInt8(number(0..<256)))) }
    }
    return text
  }

  /// Returns a text without the characters that would end its part of a URL or line.
  mutating func text(without: String) -> String {
    text().filter { character in !character.unicodeScalars.contains { without.unicodeScalars.contains($0) } }
  }

  mutating func bytes() -> [UInt8] { Array(text().utf8) + (chance(4) ? [UInt8(number(0..<256))] : []) }
}
