import Foundation
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

@Suite struct RequestTests {
  @Test(
    arguments: [
      ("/path", "relative"), ("example.com/x", "relative"), ("ftp://host/x", "only http and https"),
      ("file:///etc/passwd", "only http and https"), ("http://", "no host"), ("", "empty"),
      ("http://a b/", "not a valid URL"), ("http:///x", "no host"),
    ])
  func `the error for an invalid URL explains the problem`(text: String, reason: String) {
    guard let why = Request.get(text).address.problem else {
      Issue.record("\(text) was accepted as a URL")
      return
    }
    #expect(why.contains(reason), "\(why)")
  }

  @Test func `query items are encoded and go before the fragment`() {
    #expect(
      Request.get("http://h/p?a=1#top", query: ["q": "a+b & c", "ü": ""]).address.text
        == "http://h/p?a=1&q=a%2Bb%20%26%20c&%C3%BC=#top")
    #expect(Request.get("http://h/p?", query: ["x": "1"]).address.text == "http://h/p?x=1")
    #expect(Request.get("http://h/p", query: ["x": "1"]).url?.absoluteString == "http://h/p?x=1")
  }

  @Test func `a request is a value that can be compared and hashed`() {
    let one = Request.post("http://h/", json: ["a": 1]).field("X", "1").timeout(.seconds(2))
    let two = Request.post("http://h/", json: ["a": 1]).field("x", "1").timeout(.seconds(2))
    #expect(one == two)
    #expect(Set([one, two]).count == 1)
    #expect(one != two.attempts(1))
  }

  @Test func `JSON that cannot be encoded fails when it is sent, not before`() {
    guard case .invalid(let reason) = RequestBody.json(Double.nan).encoded().content else {
      Issue.record("NaN was encoded")
      return
    }
    #expect(reason.contains("cannot be encoded"))
  }

  @Test func `a form is encoded as browsers do`() {
    let body = RequestBody.form(["a b": "1+1=2", "ü": "*-._~"])
    #expect(body.content == .bytes(Data("a+b=1%2B1%3D2&%C3%BC=*-._%7E".utf8)))
    #expect(body.contentType == "application/x-www-form-urlencoded")
  }

  @Test func `no description shows a secret`() {
    let request = Request.get("https://me:hush@h/p?token=hush&q=seen").bearer("hush")
    var dumped = ""
    dump(request, to: &dumped)
    for text in ["\(request)", String(reflecting: request), dumped] {
      #expect(!text.contains("hush"), "\(text)")
      #expect(text.contains("q=seen"))
    }
  }

  @Test func `secrets are found in any URL, even in an invalid one`() {
    var secrets = Secrets.standard
    secrets.queryItems.insert("pin")
    #expect(secrets.redact("http://u:p@h:1/a?PIN=1&x=2#f") == "http://***@h:1/a?PIN=***&x=2#f")
    #expect(secrets.redact("http://u:p@@h o s t/?pin=1&pin=2") == "http://***@h o s t/?pin=***&pin=***")
    #expect(secrets.redact("http://h/a@b?x=y@z") == "http://h/a@b?x=y@z")
    #expect(secrets.redact("nonsense") == "nonsense")
  }

  @Test func `media types are derived from extensions and matched with wildcards`() {
    #expect(MediaType.ofFile(named: "/a/b.JPG") == "image/jpeg")
    #expect(MediaType.ofFile(named: "/a.json/b") == "application/octet-stream")
    #expect(MediaType.ofFile(named: ".json") == "application/octet-stream")
    #expect(MediaType.matches("Application/JSON; charset=utf-8", "application/json"))
    #expect(MediaType.matches("image/png", "image/*"))
    #expect(!MediaType.matches("imagex/png", "image/*"))
    #expect(!MediaType.matches("", "image/*"))
    #expect(MediaType.matches("", "*/*"))
  }
}
