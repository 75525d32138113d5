import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct BodyRedactionTests {
  private static let secrets = Secrets(queryItems: ["mine"])

  @Test(arguments: [
    (#"{"a":1,"password":"x"}"#, #"{"a":1,"password":"***"}"#),
    (#"{"token":{"a":[1,"}"]},"b":2}"#, #"{"token":"***","b":2}"#),
    (#"{"pass\u0077ord" : "x\"y", "b":[]}"#, #"{"pass\u0077ord" : "***", "b":[]}"#),
    (#"[{"mine":12},{"mine":null}]"#, #"[{"mine":"***"},{"mine":"***"}]"#),
    (#"{"next":"https://h/?token=x"}"#, #"{"next":"***"}"#),
    (#"{"next":"/items?token=x"}"#, #"{"next":"***"}"#), (#"{"next":"items#mine=x"}"#, #"{"next":"***"}"#),
    (#"{"next":"/items?a=x"}"#, #"{"next":"/items?a=x"}"#),
    (#"{"q":"what? token=x"}"#, #"{"q":"what? token=x"}"#),
    ("{\"a\" :  1,\n\t\"b\":\t[ 2 ] }", "{\"a\" :  1,\n\t\"b\":\t[ 2 ] }"),
    (#"{"next":"https://h/?a=x"}"#, #"{"next":"https://h/?a=x"}"#),
    (#"{"password":"cut of"#, #"{"password":"***""#),
    (#"{"password":["cut","of"#, #"{"password":"***""#),
    ("a=1&password=x&b=2", "a=1&password=***&b=2"), ("just a text", "just a text"),
    ("{\"a\":\"token\",\"b\":\"password\"}", "{\"a\":\"token\",\"b\":\"password\"}"),
  ])
  func `a body is shown without its secrets`(body: String, shown: String) {
    #expect(Self.secrets.redact(body: body, contentType: nil) == shown)
  }

  @Test func `a body is a form if its type says so, whatever it contains`() {
    let shown = Self.secrets.redact(body: "a=b c&mine=d e", contentType: "Application/X-WWW-Form-Urlencoded")
    #expect(shown == "a=b c&mine=***")
  }

  @Test func `no truncation and no damage reveals a secret`() {
    let text = #"{"user":"ann","keys":[{"secret":"MARK"},["token",{"token":[{"x":"MARK"}]}]],"mine":"MARK"}"#
    for seed in 0..<500 {
      var random = SeededRandom(seed: UInt64(seed))
      var bytes = Array(text.utf8.prefix(Int.random(in: 1...text.utf8.count, using: &random)))
      // Whitespace between tokens changes nothing.
      if let colon = bytes.lastIndex(of: UInt8(ascii: ":")) { bytes.insert(32, at: colon) }
      let shown = Self.secrets.redact(body: String(decoding: bytes, as: UTF8.self), contentType: nil)
      #expect(!shown.contains("MARK"), "seed \(seed): \(shown)")
    }
  }
}
