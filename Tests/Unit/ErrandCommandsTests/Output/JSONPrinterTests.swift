import ErrandTesting
import Foundation
import Testing

@testable import ErrandCommands

@Suite struct JSONPrinterTests {
  private func printed(_ text: String, hasColours: Bool = false, pieces: Int = .max) -> String {
    var printer = JSONPrinter(hasColours: hasColours)
    var output: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      output += printer.print(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
    }
    return String(decoding: output + printer.finish(), as: UTF8.self)
  }

  @Test(arguments: [
    (
      #"{"a":1,"b":[true,null],"c":{},"d":[]}"#,
      "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ],\n  \"c\": {},\n  \"d\": []\n}"
    ),
    ("[ 1.000000000000000000001 , -0 ]", "[\n  1.000000000000000000001,\n  -0\n]"),
    (#""a \"{[,:]}\\""#, #""a \"{[,:]}\\""#), ("12", "12"), ("[]", "[]"), ("", ""), ("[1", "[\n  1"),
    ("]]", "\n]\n]"),
  ])
  func `JSON is formatted token by token`(text: String, shown: String) {
    #expect(printed(text) == shown)
    #expect(printed(text, pieces: 1) == shown)
  }

  @Test func `keys, strings and other values have colours, which end with them`() {
    #expect(
      printed(#"{"a":"b","c":1}"#, hasColours: true)
        == "{\n  \u{1B}[34m\"a\"\u{1B}[0m: \u{1B}[32m\"b\"\u{1B}[0m,\n  "
        + "\u{1B}[34m\"c\"\u{1B}[0m: \u{1B}[33m1\u{1B}[0m\n}")
    #expect(printed(#"["cut"#, hasColours: true).hasSuffix("\"cut\u{1B}[0m"))
  }

  @Test func `deeply nested JSON has short lines, and no token is lost`() {
    let text = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
    let shown = printed(text)
    #expect(shown.filter { $0 == "[" || $0 == "]" } == text)
    #expect(shown.split(separator: "\n").allSatisfy { $0.count < 130 })
  }

  @Test func `formatted JSON has the same meaning as before`() throws {
    for seed in 0..<300 {
      var random = SeededRandom(seed: UInt64(seed))
      func value(_ depth: Int) -> Any {
        switch Int.random(in: 0..<(depth > 3 ? 4 : 6), using: &random) {
        case 0: return Int.random(in: -1000...1000, using: &random)
        case 1: return Bool.random(using: &random)
        case 2: return NSNull()
        case 3: return ["", "a\"\\\n", "{[,", "ü🙂", ":"].randomElement(using: &random)!
        case 4: return (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth + 1) }
        default:
          return Dictionary(
            uniqueKeysWithValues: (0..<Int.random(in: 0...3, using: &random)).map {
              ("\"\($0)", value(depth + 1))
            })
        }
      }
      let before = ["a": value(0)] as NSDictionary
      let data = try JSONSerialization.data(withJSONObject: before)
      let shown = printed(
        String(decoding: data, as: UTF8.self), pieces: Int.random(in: 1...9, using: &random))
      let after = try JSONSerialization.jsonObject(with: Data(shown.utf8)) as? NSDictionary
      #expect(after == before, "seed \(seed)")
    }
  }

  @Test func `JSON is recognized by its type`() {
    for type in ["application/json", "Application/JSON; charset=utf-8", "application/problem+json"] {
      #expect(JSONPrinter.isJSON(type))
    }
    for type in [nil, "", "text/html", "application/jsonp"] { #expect(!JSONPrinter.isJSON(type)) }
  }
}
