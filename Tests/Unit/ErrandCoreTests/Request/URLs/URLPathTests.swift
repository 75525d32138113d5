import Testing

@testable import ErrandCore

@Suite struct URLPathTests {
  private func address(_ path: URLPath) -> Address { Request.get(.path(path)).address }

  @Test(arguments: [
    ("7", "7"), ("a/b", "a%2Fb"), ("a?b", "a%3Fb"), ("a#b", "a%23b"), ("100%", "100%25"),
    ("%2e%2e", "%252e%252e"),
    ("../admin", "..%2Fadmin"), ("..;", "..%3B"), ("a b", "a%20b"), ("é", "%C3%A9"), ("a\\b", "a%5Cb"),
    ("a\r\nb\0", "a%0D%0Ab%00"), ("a:b@c&d=e+f", "a%3Ab%40c%26d%3De%2Bf"), ("...", "..."),
    ("a\u{301}", "a%CC%81"),
  ])
  func `a value is one segment, whatever characters it contains`(value: String, encoded: String) {
    #expect(address("https://h/users/\(value)/posts").text == "https://h/users/\(encoded)/posts")
    #expect(address("users/\(value)/posts").text == "users/\(encoded)/posts")
    #expect(address("/v-\(value)").text == "/v-\(encoded)")
    #expect(address("/x?q=\(value)&r=1").text == "/x?q=\(encoded)&r=1")
  }

  @Test func `a value may be a number or several segments`() {
    #expect(address("users/\(42)/\(true)").text == "users/42/true")
    #expect(address("files/\(segments: ["a b", "c/d"])").text == "files/a%20b/c%2Fd")
  }

  @Test(arguments: [
    ("..", "dots"), (".", "dots"), ("", "empty"),
  ])
  func `a value that would leave its place in the path is refused`(value: String, reason: String) {
    for path: URLPath in [
      "users/\(value)/posts", "users/\(value)", "\(value)/x", "https://h/users/\(value)",
      "/a/\(segments: ["b", value])",
      "users/\(value)?q=1", "users/\(value)#top", "\(value):cancel", "jobs/\(value):cancel",
      "jobs/7:\(value)",
      "f/\(value);v=1", "f/x;\(value)/y", "f/\(value),b", "f/a,\(value)", "Users('\(value)')",
      "Users(\(value))",
      "@\(value)/x", "https://h/\(value):cancel",
    ] {
      let problem = address(path).problem
      #expect(problem?.contains(reason) == true, "\(path.urlText): \(problem ?? "accepted")")
      // Neither a query nor a base makes such a path valid.
      #expect(Request.get(.path(path)).query("a", "b").address.problem == problem)
    }
  }

  @Test func `values that together form dots are refused, and dots beside letters are accepted`() {
    let dot = "."
    #expect(address("users/\(dot)\(dot)/x").problem?.contains("dots") == true)
    #expect(address("users/.\(dot)/x").problem?.contains("dots") == true)
    #expect(address("users/%2e\(dot)/x").problem?.contains("dots") == true)
    #expect(address("users/\(dot)\(dot);v=1").problem?.contains("dots") == true)
    #expect(address("users/..;v=\(1)").problem?.contains("dots") == true)
    #expect(address("https://h/photo\(dot)\(dot)jpg").problem == nil)
    #expect(address("https://h/photo-\("").jpg").problem == nil)
    #expect(address("https://h/\("")\("7"):cancel").problem == nil)
    #expect(address("https://h/x;v=1.\(dot)").problem == nil)
    #expect(address("https://h/x?q=\("")&r=\("..")").problem == nil)
  }

  @Test func `a first segment with a colon is part of the path unless an authority follows`() {
    #expect(address("\("x"):cancel").text == "/x:cancel")
    #expect(address("\(7):cancel").text == "/7:cancel")
    #expect(address("jobs:cancel").text == "/jobs:cancel")
    #expect(address("\("http"):/x").text == "/http:/x")
    #expect(address("x?at=\("a:b"):c").text == "x?at=a%3Ab:c")
    #expect(address("https://h:\(8080)/\("x"):cancel").text == "https://h:8080/x:cancel")
    #expect(address("//h:80/x").text == "//h:80/x")
  }

  @Test func `a value cannot become a scheme or a host`() {
    #expect(address("\("https://evil.test")/x").problem?.contains("relative") == true)
    #expect(address("/\("/evil.test")/x").text == "/%2Fevil.test/x")
    #expect(address("https://\("h/evil")/x").problem != nil)
  }
}
