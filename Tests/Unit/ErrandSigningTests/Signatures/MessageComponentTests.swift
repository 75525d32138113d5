import ErrandCore
import Foundation
import Testing

@testable import ErrandSigning

/// The components of a message: the examples of RFC 9421, section 2, and edge cases.
@Suite struct MessageComponentTests {
  private static let path = RFCMessages.message("POST", "https://www.example.com/path?param=value")

  @Test(
    arguments: [
      (.method, "POST"), (.targetURI, "https://www.example.com/path?param=value"),
      (.authority, "www.example.com"),
      (.scheme, "https"), (.requestTarget, "/path?param=value"), (.path, "/path"), (.query, "?param=value"),
      (.queryParameter("param"), "value"),
    ] as [(MessageComponent, String)])
  func `a request has derived components`(component: MessageComponent, value: String) throws {
    #expect(try Self.path.value(of: component) == value)
    let response = SignableMessage(200, answering: Self.path)
    #expect(try response.value(of: component.ofRequest) == value)
  }

  @Test func `a response has a status`() throws {
    #expect(try SignableMessage(200).lines(.status) == [#""@status": 200"#])
    #expect(try SignableMessage(503).value(of: "@status") == "503")
  }

  @Test(
    arguments: [
      ("https://example.com", "https://example.com/", "example.com", "/", "?"),
      ("https://example.com?", "https://example.com/?", "example.com", "/", "?"),
      ("https://example.com?a/b?c#d?e", "https://example.com/?a/b?c", "example.com", "/", "?a/b?c"),
      ("https://example.com#a/b?c", "https://example.com/", "example.com", "/", "?"),
      ("HTTPS://WWW.Example.COM:443/Path", "https://www.example.com/Path", "www.example.com", "/Path", "?"),
      ("http://example.com:0080/", "http://example.com/", "example.com", "/", "?"),
      ("https://example.com:/a", "https://example.com/a", "example.com", "/a", "?"),
      ("https://example.com:80/", "https://example.com:80/", "example.com:80", "/", "?"),
      ("http://example.com:443/", "http://example.com:443/", "example.com:443", "/", "?"),
      ("https://a:b@example.com:8443/", "https://example.com:8443/", "example.com:8443", "/", "?"),
      ("https://[2001:DB8::1]:443/", "https://[2001:db8::1]/", "[2001:db8::1]", "/", "?"),
      ("https://[2001:db8::443]/", "https://[2001:db8::443]/", "[2001:db8::443]", "/", "?"),
      (
        "https://example.com/a%2fb/../c?q=%2F", "https://example.com/a%2fb/../c?q=%2F", "example.com",
        "/a%2fb/../c", "?q=%2F"
      ),
    ])
  func `a URL is signed as a server sees it`(
    url: String, targetURI: String, authority: String, path: String, query: String
  ) throws {
    let message = SignableMessage.get(url)
    #expect(
      try message.lines(.targetURI, .authority, .path, .query, .requestTarget) == [
        "\"@target-uri\": \(targetURI)", "\"@authority\": \(authority)", "\"@path\": \(path)",
        "\"@query\": \(query)",
        "\"@request-target\": \(path)\(url.split(separator: "#")[0].contains("?") ? query : "")",
      ])
  }

  @Test func `the field Host overrides the URL's host`() async throws {
    let message = SignableMessage.get("https://10.0.0.1:8443/a", ["host": " Example.com:443 "])
    #expect(
      try message.lines(.authority, .targetURI) == [
        #""@authority": example.com"#, #""@target-uri": https://example.com/a"#,
      ])
    var twice = message
    twice.fields.append("Host", "example.com")
    #expect(await codeOfRefusal { _ = try twice.lines(.authority) } == .componentUnavailable)
    #expect(
      await codeOfRefusal { _ = try SignableMessage.get("/a").lines(.authority) } == .componentUnavailable)
    #expect(
      await codeOfRefusal { _ = try SignableMessage.get("https:///a").lines(.path) } == .componentUnavailable)
    let empty = SignableMessage.get("https://example.com/a", ["Host": ""])
    #expect(await codeOfRefusal { _ = try empty.lines(.authority) } == .componentUnavailable)
  }

  @Test func `the zone of an address is not signed, because it is not sent`() throws {
    let message = SignableMessage.get("https://[FE80::1%25eth0]:8443/a?b=%25c")
    #expect(try message.value(of: .authority) == "[fe80::1]:8443")
    #expect(try message.value(of: .targetURI) == "https://[fe80::1]:8443/a?b=%25c")
    #expect(try message.value(of: .path) == "/a")
  }

  /// It would look like another host, and the beginning of a path.
  @Test(arguments: [
    "example.com/a", "example.com?a", "a@example.com", "example.com#", "a\\b", "a b", "é", "a\r\nb",
  ])
  func `an invalid host is refused`(host: String) async {
    let message = SignableMessage.get("https://example.com/b", ["Host": host])
    for component in [MessageComponent.targetURI, .authority, .path] {
      #expect(await codeOfRefusal { _ = try message.lines(component) } == .componentUnavailable)
    }
    #expect(TargetURL("https://\(host)", host: nil) == nil || host.contains { "/?@#".contains($0) })
    #expect(TargetURL("\(host)://example.com", host: nil) == nil)
  }

  @Test(arguments: ["https://www.example.com/path?param=value", "www.example.com:80", "*"])
  func `the target of a request can differ from its path and query`(target: String) throws {
    let message = RFCMessages.message("OPTIONS", "https://www.example.com/path", target: target)
    #expect(try message.value(of: .requestTarget) == target)
    #expect(try message.value(of: .path) == "/path")
  }

  @Test func `a parameter of the query is decoded and encoded again`() throws {
    let message = SignableMessage.get("https://www.example.com/path?param=value&foo=bar&baz=batman&qux=")
    #expect(
      try message.lines(.queryParameter("baz"), .queryParameter("qux"), .queryParameter("param")) == [
        #""@query-param";name="baz": batman"#, #""@query-param";name="qux": "#,
        #""@query-param";name="param": value"#,
      ])
    let others = SignableMessage.get(
      "https://www.example.com/parameters?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace"
        + "&fa%C3%A7ade%22%3A%20=something&&flag&=&*-._~=%2a%2d%2E%5f%7e&bad=%FF%25zz")
    #expect(
      try others.lines(
        .queryParameter("var"), .queryParameter("bar"), .queryParameter("façade\": "),
        .queryParameter("flag"),
        .queryParameter(""), .queryParameter("*-._~"), .queryParameter("bad")) == [
          #""@query-param";name="var": this%20is%20a%20big%0Amultiline%20value"#,
          #""@query-param";name="bar": with%20plus%20whitespace"#,
          #""@query-param";name="fa%C3%A7ade%22%3A%20": something"#, #""@query-param";name="flag": "#,
          #""@query-param";name="": "#, #""@query-param";name="*-._%7E": *-._%7E"#,
          #""@query-param";name="bad": %EF%BF%BD%25zz"#,
        ])
  }

  @Test func `an invalid escape is treated as a percent sign`() {
    #expect(
      QueryParameters.values(of: "a%25", in: Array("a%=%zz&a%25=%4&a%25=%41%".utf8)[...]) == [
        "%25zz", "%254", "A%25",
      ])
    #expect(QueryParameters.values(of: "a", in: []) == [])
  }

  @Test func `the lines of a field are combined without the surrounding spaces`() throws {
    var fields: HTTPFields = [
      "Host": "www.example.com", "Date": "Tue, 20 Apr 2021 02:07:56 GMT",
      "X-OWS-Header": "  Leading and trailing whitespace.\t ",
      "X-Obs-Fold-Header": "Obsolete \r\n \t line folding.",
      "Cache-Control": "max-age=60", "Example-Dict": "  a=1,    b=2;x=1;y=2,   c=(a   b   c)",
      "X-Empty-Header": "",
    ]
    fields.append("cache-control", "   must-revalidate")
    let message = SignableMessage.get("https://www.example.com/", fields)
    #expect(
      try message.lines(
        "Host", "Date", "X-OWS-Header", "X-Obs-Fold-Header", "Cache-Control", "Example-Dict", "X-Empty-Header"
      ) == [
        #""host": www.example.com"#, #""date": Tue, 20 Apr 2021 02:07:56 GMT"#,
        #""x-ows-header": Leading and trailing whitespace."#, #""x-obs-fold-header": Obsolete line folding."#,
        #""cache-control": max-age=60, must-revalidate"#,
        #""example-dict": a=1,    b=2;x=1;y=2,   c=(a   b   c)"#,
        #""x-empty-header": "#,
      ])
  }

  @Test func `a field is serialized strictly if its type is known`() async throws {
    let types: [String: StructuredFieldType] = [
      "Example-Dict": .dictionary, "example-list": .list, "example-item": .item,
    ]
    let message = SignableMessage.get(
      "https://example.com/",
      [
        "Example-Dict": "  a=1,    b=2;x=1;y=2,   c=(a   b   c)", "Example-List": "(1   2),\t3;  a",
        "Example-Item": " 1.50",
        "Priority": "u=1,   i",
      ])
    #expect(
      try message.lines(
        .field("example-dict").structured, "example-list;sf", "example-item;sf", "priority;sf", types: types)
        == [
          #""example-dict";sf: a=1, b=2;x=1;y=2, c=(a b c)"#, #""example-list";sf: (1 2), 3;a"#,
          #""example-item";sf: 1.5"#, #""priority";sf: u=1, i"#,
        ])
    #expect(await codeOfRefusal { _ = try message.lines("example-dict;sf") } == .componentUnavailable)
    #expect(
      await codeOfRefusal { _ = try message.lines("example-dict;sf", types: ["example-dict": .item]) }
        == .componentUnavailable)
  }

  @Test func `a member of a dictionary is a component`() async throws {
    var fields: HTTPFields = ["Example-Dict": "  a=1, b=2;x=1;y=2, c=(a   b    c), d"]
    fields.append("Example-Dict", "e=:AAE=:")
    let message = SignableMessage.get("https://example.com/", fields)
    let field = MessageComponent.field("Example-Dict")
    #expect(
      try message.lines(
        field.member("a"), field.member("d"), field.member("b"), field.member("c"), field.member("e")) == [
          #""example-dict";key="a": 1"#, #""example-dict";key="d": ?1"#,
          #""example-dict";key="b": 2;x=1;y=2"#,
          #""example-dict";key="c": (a b c)"#, #""example-dict";key="e": :AAE=:"#,
        ])
    #expect(await codeOfRefusal { _ = try message.lines(field.member("f")) } == .componentUnavailable)
    #expect(
      await codeOfRefusal { _ = try message.lines(field.member("a"), types: ["example-dict": .list]) }
        == .componentUnavailable)
    let text = SignableMessage.get("https://example.com/", ["Example-Dict": "A=1"])
    #expect(await codeOfRefusal { _ = try text.lines(field.member("a")) } == .componentUnavailable)
  }

  @Test func `the lines of a field can be wrapped as bytes`() throws {
    var fields: HTTPFields = ["Example-Header": "value, with, lots"]
    fields.append("Example-Header", "  of, commas ")
    let several = SignableMessage.get("https://example.com/", fields)
    #expect(
      try several.lines(.field("Example-Header").wrapped)
        == [#""example-header";bs: :dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:"#])
    let one = SignableMessage.get("https://example.com/", ["Example-Header": "value, with, lots, of, commas"])
    #expect(
      try one.lines("example-header;bs")
        == [#""example-header";bs: :dmFsdWUsIHdpdGgsIGxvdHMsIG9mLCBjb21tYXM=:"#])
    let words = SignableMessage.get("https://example.com/", ["Name": "Grüße"])
    #expect(try words.value(of: "name;bs") == ":R3LDvMOfZQ==:")
  }

  @Test(arguments: ["a\nb", "a\r\nb", "a\r\n", "\r\n b\nc", "a\u{0}", "a\u{7F}", "é", "a\r\n b\r\nc"])
  func `a value that is not plain text is not signed`(value: String) async {
    let message = SignableMessage.get("https://example.com/", ["A": value])
    #expect(await codeOfRefusal { _ = try message.lines("a") } == .componentUnavailable)
    let target = RFCMessages.message("GET", "https://example.com/", target: value)
    #expect(await codeOfRefusal { _ = try target.lines(.requestTarget) } == .componentUnavailable)
    let method = RFCMessages.message(HTTPMethod(value), "https://example.com/")
    #expect(await codeOfRefusal { _ = try method.lines(.method) } == .componentUnavailable)
  }

  @Test func `several lines of Set-Cookie are signed only as bytes`() async throws {
    var response = SignableMessage(200, fields: ["Set-Cookie": "a=1; Expires=Tue, 20 Apr 2021 02:07:56 GMT"])
    #expect(try response.lines("set-cookie").count == 1)
    response.fields.append("Set-Cookie", "b=2")
    #expect(await codeOfRefusal { _ = try response.lines("set-cookie") } == .componentUnavailable)
    #expect(try response.value(of: "set-cookie;bs").hasSuffix(", :Yj0y:"))
  }

  @Test func `a component is taken only from the kind of message that has it`() async throws {
    let request = RFCMessages.request
    let response = SignableMessage(200, fields: ["A": "1"])
    #expect(await codeOfRefusal { _ = try request.lines(.status) } == .componentUnavailable)
    #expect(await codeOfRefusal { _ = try response.lines(.method) } == .componentUnavailable)
    #expect(await codeOfRefusal { _ = try request.lines(.method.ofRequest) } == .componentUnavailable)
    #expect(await codeOfRefusal { _ = try request.lines("date;req") } == .componentUnavailable)
    #expect(await codeOfRefusal { _ = try response.lines(.method.ofRequest) } == .componentUnavailable)
    #expect(
      await codeOfRefusal { _ = try SignableMessage(200, answering: response).lines(.method.ofRequest) }
        == .componentUnavailable)
    #expect(await codeOfRefusal { _ = try SignableMessage(7).lines(.status) } == .componentUnavailable)
    #expect(await codeOfRefusal { _ = try request.lines("x-missing") } == .componentUnavailable)
    #expect(await codeOfRefusal { _ = try request.lines("x-missing;bs") } == .componentUnavailable)
    #expect(await codeOfRefusal { _ = try request.lines("priority;sf") } == .componentUnavailable)
    #expect(await codeOfRefusal { _ = try request.lines(.queryParameter("pet")) } == .componentUnavailable)
    // The response's own fields are not the request's.
    #expect(
      try SignableMessage(200, fields: ["Date": "1"], answering: request).lines("date;req", "date") == [
        #""date";req: Tue, 20 Apr 2021 02:07:55 GMT"#, #""date": 1"#,
      ])
  }

  @Test func `a parameter that is repeated in a query is not signed`() async {
    let message = SignableMessage.get("https://example.com/?a=1&b=2&%61=3")
    #expect(await codeOfRefusal { _ = try message.lines(.queryParameter("a")) } == .componentUnavailable)
    #expect(await codeOfRefusal { _ = try message.lines(.queryParameter("b")) } == nil)
  }
}
