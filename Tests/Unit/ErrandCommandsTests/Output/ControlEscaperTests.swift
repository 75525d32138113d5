import TestSupport
import Testing

@testable import ErrandCommands

@Suite struct ControlEscaperTests {
  private func shown(_ bytes: [UInt8], in size: Int = .max) -> [UInt8] {
    var escaper = ControlEscaper(keepsLines: true)
    var shown: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      shown += escaper.escape(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    return shown + escaper.finish()
  }

  private func shown(_ text: String) -> String { String(decoding: shown(Array(text.utf8)), as: UTF8.self) }

  @Test(arguments: [
    "plain\ttext\n", "caf\u{e9}", "\u{1F468}\u{200D}\u{1F469}", "\u{65E5}\u{672C}", "\u{10FFFF}", "",
  ])
  func `ordinary text is not changed`(_ text: String) {
    #expect(shown(text) == text)
  }

  @Test(arguments: [
    ("\u{1B}[2J", "\\x1b[2J"), ("a\rb", "a\\rb"), ("\u{7}", "\\x07"), ("\u{0}", "\\x00"), ("\u{7F}", "\\x7f"),
    ("\u{9B}31m", "\\u{9b}31m"), ("\u{85}", "\\u{85}"), ("\u{202E}abc", "\\u{202e}abc"),
    ("\u{2028}", "\\u{2028}"),
  ])
  func `control characters are shown in an escaped form`(_ text: String, _ expected: String) {
    #expect(shown(text) == expected)
  }

  @Test func `invalid UTF-8 is escaped, because some terminals interpret it`() {
    let cases: [([UInt8], String)] = [
      ([0x9B, 0x41], "\\x9bA"), ([0xC2, 0x41], "\\xc2A"), ([0xC2, 0x1B], "\\xc2\\x1b"),
      ([0xE2, 0x80, 0x41], "\\xe2\\x80A"), ([0xC0, 0x9B], "\\xc0\\x9b"),
      ([0xE0, 0x82, 0x9B], "\\xe0\\x82\\x9b"),
      ([0xF4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"), ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"),
      ([0xC2], "\\xc2"), ([0xF0, 0x9F, 0x98], "\\xf0\\x9f\\x98"), ([0xFF, 0xFE], "\\xff\\xfe"),
    ]
    for (bytes, expected) in cases { #expect(String(decoding: shown(bytes), as: UTF8.self) == expected) }
  }

  @Test func `an escaped line has no line breaks`() {
    #expect(ControlEscaper.line("a\nb\tc\r") == "a\\nb\\tc\\r")
  }

  @Test(arguments: 1...4)
  func `escaping does not depend on where the text is split`(_ size: Int) {
    let bytes = Array("a\u{1B}caf\u{e9}\u{9B}\u{1F600}\u{202E}z".utf8) + [0xE2, 0x80, 0x9B, 0xC2]
    #expect(shown(bytes, in: size) == shown(bytes))
  }

  @Test(.computesLong) func `an escaper passes on nothing that a terminal interprets, and loses nothing`() {
    var random = SystemRandomNumberGenerator()
    let alphabet: [UInt8] = [0x41, 0x1B, 0x80, 0x9B, 0xC2, 0xE2, 0xF0, 0x90, 0xFF, 0x0D, 0x7F, 0xED, 0xA0]
    for _ in 0..<2000 {
      let bytes = (0..<12).map { _ in alphabet.randomElement(using: &random)! }
      let out = shown(bytes)
      let text = String(validating: out, as: UTF8.self)
      #expect(text != nil, "\(bytes)")
      #expect(
        text?.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || ControlEscaper.isHarmless($0) } ?? false
      )
      #expect(out.count >= bytes.count)
    }
  }
}
