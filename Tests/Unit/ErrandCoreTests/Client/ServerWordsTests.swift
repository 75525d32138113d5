import Foundation
import Testing

@testable import ErrandCore

@Suite struct ServerWordsTests {
  private func words(
    _ body: Data, _ type: String = "text/plain", isWhole: Bool = true, secrets: Secrets = Secrets()
  ) -> String? {
    ServerWords(secrets: secrets).words(body, type, isWhole: isWhole)
  }

  private func words(_ body: String, _ type: String = "text/plain", secrets: Secrets = Secrets()) -> String? {
    words(Data(body.utf8), type, secrets: secrets)
  }

  @Test func `a text body is shown as one line`() {
    #expect(words("no such account") == "no such account")
    #expect(words("  one\r\n\ttwo \u{1B}[2Jthree\u{202E}four\u{0}") == nil)
    #expect(
      words("  one\r\n\ttwo \u{1B}[2Jthree\u{202E}four\u{85}\u{2028}")
        == #"one two \u{1b}[2Jthree\u{202e}four"#)
  }

  @Test func `an unreadable body is not shown`() {
    #expect(words("") == nil)
    #expect(words(" \n") == nil)
    #expect(words(Data([0x89, 0x50, 0x4E, 0x47, 0xFF, 0xFE, 0xC0, 0xC1])) == nil)
  }

  @Test(arguments: [
    (#"{"detail":"too much","title":"Bad"}"#, "too much"), (#"{"error":{"message":"no quota"}}"#, "no quota"),
    (#"{"error":"invalid_request","code":7}"#, "invalid_request"),
    (#"{"error_description":"expired","error":"invalid_grant"}"#, "expired"),
    (#"{"type":"about:blank","title":"Bad","status":400}"#, "Bad"), (#"{"kind":7}"#, #"{"kind":7}"#),
    (#"{"detail":"cut"#, #"{"detail":"cut"#),
  ])
  func `a JSON object is represented by its explanation`(body: String, expected: String) {
    #expect(words(body, "application/problem+json") == expected)
  }

  @Test(arguments: ["<title>Bad Gateway</title>", "<TITLE lang='en'>\nBad\nGateway </Title\n>"])
  func `an HTML page is represented by its title`(title: String) {
    let page = "<html><head><meta charset=utf-8>\(title)</head><body><h1>502</h1><hr>nginx</body></html>"
    #expect(words(page, "text/html") == "Bad Gateway")
  }

  @Test(arguments: ["", "<title> </title>", "<title>"])
  func `an HTML page without a title is represented by its text`(title: String) {
    let page = """
      <!DOCTYPE html><html><head>\(title)<style>p{}</style></head>
      <body><script>let a = "</p>"</script><h1>Forbidden</h1><p>Ask your admin.</p></body></html>
      """
    #expect(words(page, "text/html; charset=utf-8") == "Forbidden Ask your admin.")
    #expect(words("<html><p unfinished", "text/html") == nil)
  }

  @Test func `a long text is truncated, but never within a secret`() {
    #expect(words(String(repeating: "ab ", count: 100))?.count == ServerWords.longest + 1)
    let late =
      String(repeating: "x", count: ServerWords.longest - 8) + " token=" + String(repeating: "s", count: 50)
    #expect(words(late)?.contains("ss") == false)
  }

  @Test(arguments: [
    "bad token=S3CRET here", "bad token: S3CRET", #"bad "api_key":"S3CRET", sorry"#, "Bearer S3CRET is stale",
    "Authorization: Bearer S3CRET is stale", "authorization = S3CRET", "see https://u:S3CRET@example.com/",
    "see https://example.com/?token=S3CRET&a=1", "x-mine: S3CRET", "password = \"S3CRET\"",
    "Cookie:S3CRET", "bad (token=S3CRET)", "token=a,S3CRET;S3CRET",
    #"{"password": "a S3CRET phrase", "b": 1}"#,
    #"{"password":"a S3CRET phrase"}"#, "bad token : S3CRET", "token='a S3CRET' is bad",
    "Authorization:Basic S3CRET", "no route for GET /;%2554%6F%4B%25%345%6E=S3CRET",
    "no route for GET /a?x=1&token%5B%5D=S3CRET", "no route for /?a=1&%74oken=S3CRET",
  ])
  func `no secret is shown`(body: String) {
    let shown = words(body, secrets: Secrets(fields: ["X-Mine"]))
    #expect(shown?.contains("S3CRET") == false && shown?.contains("***") == true, "\(shown ?? "")")
  }

  @Test func `text without a secret is shown unchanged`() {
    for text in [
      "the bearer of this: 7", "a key is missing", "see https://example.com/?a=1", "at 10:30, x=1",
    ] {
      let isBearer = text.contains("bearer")
      #expect(words(text) == (isBearer ? "the bearer *** this: 7" : text))
    }
  }
}
