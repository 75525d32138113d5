import ErrandCore
import Foundation
import Testing

@testable import ErrandAuthentication

@Suite struct CurlCommandTests {
  @Test(arguments: [
    (Request.get("https://a.test/x?a=1&b=2"), "curl 'https://a.test/x?a=1&b=2' --location"),
    (.head("https://a.test/"), "curl --head https://a.test/ --location"),
    (
      .post("https://a.test/", .file(URL(filePath: "/a b"), contentType: "a/b"))
        .redirects(RedirectPolicy(limit: 0)).httpVersion(.http1),
      "curl https://a.test/ -H 'Content-Type: a/b' -H Expect: --data-binary '@/a b' --http1.1"
    ),
    (
      .post("https://a.test/", .text("it's")).field("X-A", "b c").redirects(RedirectPolicy(limit: 0)),
      "curl https://a.test/ -H 'X-A: b c' -H 'Content-Type: text/plain; charset=utf-8' "
        + "--data-binary 'it'\\''s'"
    ),
    (
      Request.get("https://a.test/?token=secret").bearer("secret").redirects(RedirectPolicy(limit: 0)),
      "curl 'https://a.test/?token=***' -H 'Authorization: ***'"
    ),
    (
      .post("https://a.test/", .form(["password": "secret"])).redirects(RedirectPolicy(limit: 0)),
      "curl https://a.test/ -H 'Content-Type: application/x-www-form-urlencoded' --data-binary @BODY"
    ),
    (
      .delete("https://a.test/").field("X-Empty", "").redirects(RedirectPolicy(limit: 0)),
      "curl -X DELETE https://a.test/ -H 'X-Empty;'"
    ),
    (
      .post("https://a.test/", .text("@/etc/passwd", contentType: "a/b")).redirects(RedirectPolicy(limit: 0)),
      "curl https://a.test/ -H 'Content-Type: a/b' --data-raw @/etc/passwd"
    ),
    (
      .put("https://a.test/", .text("b", contentType: "a/b")),
      "curl -X PUT https://a.test/ -H 'Content-Type: a/b' --data-binary b --location --post301 --post302"
    ),
    (
      .post(
        "https://a.test/",
        .multipart(
          MultipartForm().file("f", at: URL(filePath: "/a\"b\\c"), fileName: "d;e\"f", contentType: "a/b")
            .field("g", "\"h\"").bytes("i", Data("[\"j\"]".utf8), contentType: "a/b"))
      ).redirects(RedirectPolicy(limit: 0)),
      #"curl https://a.test/ -H Expect: -F 'f=@"/a\"b\\c";type=a/b;filename="d;e\"f"' --form-string 'g="h"' "#
        + #"-F 'i="[\"j\"]";type=a/b'"#
    ),
  ])
  func `a request is shown as a curl command without its secrets`(request: Request, command: String) {
    #expect(request.curlCommand() == command)
  }

  /// A terminal would take the first of these for the key that ends the line.
  @Test(arguments: ["\u{3}", "\u{1B}[201~", "\r", "\u{9B}", "\u{7F}"])
  func `what is pasted has no control characters`(sign: String) {
    let text = "hi\(sign)\ntouch /tmp/x\n#"
    let requests = [
      Request.post("https://a.test/", .text(text)),
      .post("https://a.test/", .multipart(MultipartForm().field("a", text))),
      .get("https://a.test/\(sign)"),
      .post("https://a.test/", .file(URL(filePath: "/a\(sign)b"))),
    ]
    for request in requests {
      let command = request.curlCommand()
      #expect(!command.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
      #expect(!command.contains("touch"))
    }
  }
}
