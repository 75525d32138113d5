import Testing

@testable import ErrandCommands

@Suite struct FailureHintTests {
  @Test(
    arguments: [
      ("example.com/a", "Did you mean https://example.com/a?"),
      ("localhost:8080", "Did you mean http://localhost:8080?"),
      ("127.0.0.1:80/x", "Did you mean http://127.0.0.1:80/x?"), ("ftp://a", nil), ("/path", nil), ("", nil),
      ("mailto:ann", nil),
    ] as [(String, String?)])
  func `a URL without its scheme is guessed`(_ text: String, _ hint: String?) {
    #expect(FailureHint.url(text) == hint)
  }
}
