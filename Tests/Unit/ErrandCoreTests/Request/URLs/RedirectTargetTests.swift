import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct RedirectTargetTests {
  private func target(_ location: String, from url: String) throws -> Request? {
    let head = ResponseHead(status: 302, fields: ["Location": location])
    let step = try RedirectPolicy().step(.get(url), head, followed: 0, secrets: .standard)
    guard case .follow(let next) = step else { return nil }
    return next
  }

  /// The examples of RFC 3986, section 5.4, without those that name a scheme.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
    ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
    (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
    (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
  ])
  func `a reference is resolved as RFC 3986 says`(location: String, expected: String) throws {
    #expect(try target(location, from: "http://a/b/c/d;p?q")?.address.text == expected)
  }

  @Test(arguments: ["", " ", "\t"])
  func `an empty Location is not a redirect`(location: String) async throws {
    #expect(try target(location, from: "http://a/b") == nil)
    // The caller gets the complete body of the response.
    let body = String(repeating: "x", count: 100_000)
    let stage = Stage { _ in .response(status: 302, fields: ["Location": location], body: body) }
    let response = try await stage.client.send(.get("http://a.test/").accepting(200..<400))
    #expect(response.status == 302)
    #expect(response.text == body)
  }

  @Test(arguments: [
    ("http://b\u{FC}cher.example/\u{FC}", "http://xn--bcher-kva.example/%C3%BC"),
    ("//B%C3%BCcher.example", "http://xn--bcher-kva.example"), ("//127.1/", "http://127.0.0.1/"),
  ])
  func `the host of a Location is normalized`(location: String, expected: String) throws {
    #expect(try target(location, from: "http://a/b")?.address.text == expected)
  }

  @Test(arguments: ["http:///host/x", "///host/x", "http://", "https:///"])
  func `an empty host is refused in a Location and in a URL`(location: String) throws {
    let error = #expect(throws: RequestError.self) { _ = try target(location, from: "http://a/b") }
    #expect(error?.code == .redirectRefused)
    #expect(error?.message.hasSuffix("the URL has no host") == true)
    var configuration = ClientConfiguration()
    configuration.baseURL = URL(string: "http://a.test/v1/")
    let client = Client(transport: StubTransport { _ in .response() }, configuration: configuration)
    #expect(client.completed(.get(location)).url == nil)
  }

  @Test func `the error for an invalid host gives the reason`() throws {
    let error = #expect(throws: RequestError.self) { _ = try target("//xn--a/", from: "http://a/b") }
    #expect(error?.message.contains("is not a valid international host name") == true)
  }

  @Test(arguments: [
    ("/a%20b|c", "http://h/a%20b%7Cc"), ("/a b?c d", "http://h/a%20b?c%20d"),
    ("/ü%C3%BC", "http://h/%C3%BC%C3%BC"),
    ("/100%", "http://h/100%25"), ("/\\evil.example", "http://h/%5Cevil.example"),
    ("\\\\evil.example", "http://h/x/%5C%5Cevil.example"), ("/a\tb\u{1}", "http://h/a%09b%01"),
    ("/a\rX: y", "http://h/a%0DX:%20y"), ("?q=%26|", "http://h/x/y?q=%26%7C"),
  ])
  func `only the invalid bytes of a Location are encoded`(location: String, expected: String) throws {
    #expect(try target(location, from: "http://h/x/y")?.address.text == expected)
  }

  @Test(arguments: [
    "http://u:hush@h/to", "//u:hush@h/to", "http://hush@h/to", "//:hush@h/to", "//u:x@hush@h/to",
  ])
  func `the user of a Location is removed, and does not become a credential`(location: String) throws {
    let next = try #require(try target(location, from: "http://h/"))
    #expect(next.address.text == "http://h/to")
    #expect(!next.fields.contains("Authorization"))
  }

  @Test(arguments: [
    "http://u:hush@h:99999/", "http://u:hush@[zz]/", "ftp://u:hush@h/", "http://u:hush@/", "http:u:hush@h/",
    "http://u:hush@a|b/", "https://u:hush@h%2f/",
  ])
  func `the error for a refused Location does not show its user`(location: String) throws {
    let error = #expect(throws: RequestError.self) { _ = try target(location, from: "http://h/") }
    #expect(error?.code == .redirectRefused)
    #expect(error.map { !"\($0) \($0.message)".contains("hush") } == true, "\(String(describing: error))")
  }
}
