import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct BodyRedactionTests {
  private static let secrets = Secrets(fields: ["X-Own"], queryItems: ["mine"])

  @Test(
    arguments: [
      (#"{"a":1,"password":"x"}"#, #"{"a":1,"password":"***"}"#),
      (#"{"token":{"a":[1,"}"]},"b":2}"#, #"{"token":"***","b":2}"#),
      (#"{"pass\u0077ord" : "x\"y", "b":[]}"#, #"{"pass\u0077ord" : "***", "b":[]}"#),
      (#"[{"mine":12},{"mine":null}]"#, #"[{"mine":"***"},{"mine":"***"}]"#),
      (#"{"next":"https://h/?token=x"}"#, #"{"next":"***"}"#),
      (
        #"{"user_code":"W-J","verification_uri":"https://h/","verification_uri_complete":"https://h/W-J"}"#,
        #"{"user_code":"***","verification_uri":"https://h/","verification_uri_complete":"***"}"#
      ),
      (#"{"next":"/items?token=x"}"#, #"{"next":"***"}"#), (#"{"next":"items#mine=x"}"#, #"{"next":"***"}"#),
      (#"{"next":"/items?a=x"}"#, #"{"next":"/items?a=x"}"#),
      (#"{"q":"what? token=x"}"#, #"{"q":"what? token=x"}"#),
      ("{\"a\" :  1,\n\t\"b\":\t[ 2 ] }", "{\"a\" :  1,\n\t\"b\":\t[ 2 ] }"),
      (#"{"next":"https://h/?a=x"}"#, #"{"next":"https://h/?a=x"}"#),
      (#"{"password":"cut of"#, #"{"password":"***""#),
      (#"{"password":["cut","of"#, #"{"password":"***""#),
      ("a=1&password=x&b=2", "a=1&password=***&b=2"), ("just a text", "just a text"),
      ("{\"a\":\"token\",\"b\":\"password\"}", "{\"a\":\"token\",\"b\":\"password\"}"),
      // A byte order mark, also one of UTF-16 that was read as UTF-8.
      ("\u{FEFF}{\"password\": \"x\"}", "\u{FEFF}{\"password\": \"***\"}"),
      ("\u{FFFD}\u{FFFD}{\"password\": \"x\"}", "\u{FFFD}\u{FFFD}{\"password\": \"***\"}"),
      ("\u{FEFF}\n {\"a\": 1}", "\u{FEFF}\n {\"a\": 1}"),
      // JSON and forms within JSON.
      (#"{"p":"{\"password\":\"x\"}","q":"{\"a\":1}"}"#, #"{"p":"***","q":"{\"a\":1}"}"#),
      (#"{"p":"{\n\"password\"\n:\"x\"}"}"#, #"{"p":"***"}"#),
      (#"["{\"p\":\"{\\\"password\\\":1}\"}"]"#, #"["***"]"#), (#""{\"password\":\"x\"}""#, #""***""#),
      (#"{"p":"{\"password\":\"cut o"#, #"{"p":"***""#), (#"{"p":"a=1&password=x"}"#, #"{"p":"***"}"#),
      (#"{"p":"a=1&b=x"}"#, #"{"p":"a=1&b=x"}"#),
      // JSON within a form.
      ("a=1&c=%7B%22password%22%3A%22x%22%7D&b=2", "a=1&c=***&b=2"),
      ("c=%7B+%22password%22+%3A+%22x%22+%7D", "c=***"), (#"c={"password":"x"}&b=2"#, "c=***&b=2"),
      ("c=%7B%22a%22%3A%22x%22%7D", "c=%7B%22a%22%3A%22x%22%7D"),
      // Names that end in the name of a secret.
      (#"{"userPassword":"x","set-cookie":"x"}"#, #"{"userPassword":"***","set-cookie":"***"}"#),
      (#"{"statusCode":1,"monkey":2,"nextPageToken":"x","max_tokens":3}"#, nil),
      ("new_password=x&b=2", "new_password=***&b=2"),
      ("user[newPassword]=x", "user[newPassword]=***"), (#"{"X-Own":"x"}"#, #"{"X-Own":"***"}"#),
      // The name of a secret beside its value.
      (#"[{"name":"Authorization","value":"x"}]"#, #"[{"name":"Authorization","value":"***"}]"#),
      (#"[{"value":["x"], "a":1, "name":"X-Own"}]"#, #"[{"value":"***", "a":1, "name":"X-Own"}]"#),
      (#"{"key":"token","value":{"a":1},"b":2}"#, #"{"key":"***","value":"***","b":2}"#),
      (
        #"[{"value":"x","name":"Accept"},{"value":"y","name":"Cookie"}]"#,
        #"[{"value":"x","name":"Accept"},{"value":"***","name":"Cookie"}]"#
      ),
      (
        #"{"name":"Cookie","b":{"value":1},"value":{"name":"a","value":2}}"#,
        #"{"name":"Cookie","b":{"value":1},"value":"***"}"#
      ),
    ] as [(String, String?)])
  func `a body is shown without its secrets`(body: String, shown: String?) {
    #expect(Self.secrets.redact(body: body, contentType: nil) == shown ?? body)
  }

  @Test func `a name that the app has removed is not secret, and neither are names that end in it`() {
    var secrets = Secrets()
    secrets.queryItems.remove("token")
    let body = #"{"token":"x","otherToken":"y","userPassword":"z"}"#
    #expect(
      secrets.redact(body: body, contentType: nil) == #"{"token":"x","otherToken":"y","userPassword":"***"}"#)
  }

  @Test func `JSON is recognized by its type, whatever it begins with`() {
    for (type, prefix) in [("application/json", ")]}',\n"), ("text/event-stream", "data: ")] {
      #expect(
        Self.secrets.redact(body: prefix + #"{"token":"x"}"#, contentType: type) == prefix
          + #"{"token":"***"}"#)
    }
  }

  @Test func `JSON that is nested too deeply is hidden`() throws {
    var text = #"{"a":1}"#
    for _ in 0..<6 { text = "[" + String(decoding: try JSONEncoder().encode(text), as: UTF8.self) + "]" }
    #expect(Self.secrets.redact(body: text, contentType: nil) == #"["***"]"#)
  }

  @Test func `no name of a URL depends on what is hidden in bodies`() {
    for url in ["http://a.test/?userPassword=x", "http://a.test/?c=%7B%22password%22%3A1%7D"] {
      #expect(Self.secrets.redact(url) == url)
    }
  }

  @Test(
    arguments: [
      ("{\"password\": \"x\"}", String.Encoding.utf16, "application/json", "{\"password\": \"***\"}"),
      ("été", .isoLatin1, "text/plain; charset=iso-8859-1", "été"), ("été", .isoLatin1, "text/plain", nil),
      (
        "{\"é\": 1, \"password\": \"x\"}", .isoLatin1, "application/json",
        "{\"\u{FFFD}\": 1, \"password\": \"***\"}"
      ),
      (
        "{\"é\": 1, \"password\": \"x\"}", .isoLatin1, "application/octet-stream",
        "{\"\u{FFFD}\": 1, \"password\": \"***\"}"
      ),
    ] as [(String, String.Encoding, String, String?)])
  func `a body is text in its charset, or bytes, but never bytes with a secret`(
    body: String, encoding: String.Encoding, type: String, shown: String?
  ) throws {
    let bytes = try #require(body.data(using: encoding))
    let event = try #require(EventBody(bytes, length: Int64(bytes.count), type, Self.secrets))
    #expect(event.text == shown)
    #expect(event.base64 == (shown == nil ? bytes.base64EncodedString() : nil))
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
