import ErrandAuthentication
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore
@testable import ErrandCurl

/// Every request is checked after everything was added to it, before it reaches a socket.
@Suite(.timeLimit(.minutes(1))) struct WireCheckTests {
  private let server: MockServer
  private let client = Client(transport: CurlTransport())
  private static let injection = "text/plain\r\nTransfer-Encoding: chunked\r\nX-Injected: 1"

  init() throws {
    server = try MockServer()
    server.otherwise { _ in .response() }
  }

  private func isRefused(_ request: Request, by client: Client? = nil) async {
    let error = await #expect(throws: RequestError.self) {
      _ = try await (client ?? self.client).send(request)
    }
    #expect(error?.code == .invalidRequest, "\(String(describing: error))")
    #expect(error?.reachedServer == false)
    #expect(server.connections.isEmpty)
  }

  /// No request is passed to a transport unchecked.
  @Test func `the last check refuses every request that cannot be sent as intended`() {
    for request in [
      Request.post(server.url("/"), .text("x", contentType: Self.injection)),
      .get(server.url("/")).field("X", "a\r\nY: b"), .get(server.url("/")).field("Content-Length", "1"),
      .get("http://user:password@127.0.0.1/"), .get("ftp://127.0.0.1/"), Request("G T", server.url("/")),
    ] {
      let error = #expect(throws: RequestError.self) {
        try Exchange.Request(request, .none, timeout: .seconds(1), mayBeRepeated: true)
      }
      #expect(error?.code == .invalidRequest)
    }
  }

  @Test func `a body's content type is checked like any header field`() async {
    await isRefused(.post(server.url("/"), .text("x", contentType: Self.injection)))
    await isRefused(.post(server.url("/"), .bytes(Data(), contentType: "a\u{0}b")))
    await isRefused(
      .post(server.url("/"), .file(URL(filePath: "/etc/hostname"), contentType: Self.injection)))
    let stream = AsyncStream<Data> { $0.finish() }
    await isRefused(.post(server.url("/"), .stream(stream, contentType: Self.injection)))
  }

  @Test(arguments: [
    "a\r\nX: y", "a\nb", "", "a\u{0}", String(repeating: "a", count: 71), "a b ", "a\"b", "a;b", "ä", "a\\b",
    "[a]",
  ])
  func `an invalid boundary is refused`(boundary: String) async {
    await isRefused(.post(server.url("/"), .multipart(MultipartForm(boundary: boundary).field("a", "b"))))
  }

  @Test func `a part that contains the boundary, or whose content type has a line end, is refused`() async {
    let form = MultipartForm(boundary: "line")
    await isRefused(.post(server.url("/"), .multipart(form.field("a", "x\r\n--line\r\n\r\n"))))
    await isRefused(
      .post(server.url("/"), .multipart(form.bytes("a", Data("b".utf8), contentType: "a/b\r\nX: y"))))
  }

  @Test func `a boundary that is not a token is quoted, and a part's type is sent unchanged`()
    async throws
  {
    let form = MultipartForm(boundary: "a b:c").bytes(
      "n\r\n\"\u{0}", Data("x".utf8), fileName: "f", contentType: "t/s; q=\"1\"")
    try await client.send(.post(server.url("/"), .multipart(form)))
    let request = try #require(server.requests.first)
    #expect(request.fields["Content-Type"] == "multipart/form-data; boundary=\"a b:c\"")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == "--a b:c\r\nContent-Disposition: form-data; name=\"n%0D%0A%22%00\"; filename=\"f\"\r\n"
        + "Content-Type: t/s; q=\"1\"\r\n\r\nx\r\n--a b:c--\r\n")
  }

  @Test(arguments: ["a\rb", "a\nb", "a\0b", "a\u{1B}[0m", "a\u{7F}"])
  func `a header field that an interceptor adds is checked`(value: String) async {
    struct Adding: Interceptor {
      let value: String
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        try await next(request.field("X-Added", value))
      }
    }
    var configuration = ClientConfiguration()
    configuration.attemptInterceptors = [Adding(value: value)]
    await isRefused(
      .get(server.url("/")), by: Client(transport: CurlTransport(), configuration: configuration))
  }

  @Test(.computesLong) func `a method, a Host or a head that cannot be sent is refused`() async {
    for method in ["", "GET /x HTTP/1.1\r\nX: y\r\n\r\nGET", "G T", "CONNECT", "GÉT"] {
      await isRefused(Request(HTTPMethod(method), server.url("/")))
    }
    for host in ["a b", "a/b", "u@h", "a, b", "", "h:x", "a?b"] {
      await isRefused(.get(server.url("/")).field("Host", host))
    }
    await isRefused(.get(server.url("/")).addingField("Host", "a").addingField("host", "b"))
    await isRefused(.get(server.url("/")).field("X", String(repeating: "a", count: 600_000)))
    await isRefused(.get("\(server.url("/"))\(String(repeating: "a", count: 600_000))"))
    await isRefused(.get(server.url("/")).field("Content-Length", "5"))
    await isRefused(.get(server.url("/")).field("transfer-encoding", "chunked"))
  }

  @Test func `spaces around a value are not part of it, and a value of only spaces is sent empty`()
    async throws
  {
    try await client.send(.get(server.url("/")).field("X-A", "  a \t").field("X-B", " \t "))
    #expect(server.requests[0].fields["X-A"] == "a")
    #expect(server.requests[0].fields["X-B"] == "")
  }

  @Test func `an invalid validator in a memo on disk is not sent in If-Range`() async throws {
    let folder = try TemporaryFolder()
    let url = server.url("/f").absoluteString
    for validator in ["\"a\r\nX-Injected: 1\"", "\"a\"\r\nX: y", "", "W/\"a\"", "\"a", "tomorrow"] {
      try folder.write("01234", to: ".t.errand-part")
      let memo = try JSONSerialization.data(withJSONObject: ["url": url, "validator": validator, "total": 10])
      try memo.write(to: folder.file(".t.errand-part.json"))
      try await client.download(.get(url), to: folder.file("t"), resume: true)
      let fields = try #require(server.requests.last?.fields)
      #expect(!fields.contains("If-Range") && !fields.contains("X-Injected") && !fields.contains("Range"))
    }
  }

  @Test func `the user of a Location is removed from the URL, and does not become a credential`() async throws
  {
    let port = server.port
    for path in ["/to", "/to?x=1"] {
      server.on("/from") { _ in .redirect(307, to: "http://user:hush@127.0.0.1:\(port)\(path)") }
      let response = try await client.send(.get(server.url("/from")))
      #expect(response.url == server.url(path))
      #expect(server.requests.last?.fields["Authorization"] == nil)
    }
    struct Passing: Interceptor {
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        try await next(request)
      }
    }
    var configuration = ClientConfiguration()
    configuration.interceptors = [Passing()]
    let other = Client(transport: CurlTransport(), configuration: configuration)
    let response = try await other.send(.get(server.url("/from")).bearer("mine"))
    #expect(!response.url.absoluteString.contains("hush"))
    #expect(server.requests.last?.fields.values(of: "Authorization") == ["Bearer mine"])
  }

  @Test func `an idempotency key is sent as a quoted string, whatever it contains`() async throws {
    try await client.send(.post(server.url("/")).idempotencyKey("a\"b\\c"))
    #expect(server.requests[0].fields["Idempotency-Key"] == "\"a\\\"b\\\\c\"")
  }

  @Test(arguments: [
    "http://127.0.0.1:1\r\nX: y", "http://127.0.0.1:1\0", "", " http://127.0.0.1:1", "http://%00@127.0.0.1:1",
    "http://user:pass%0Aword@127.0.0.1:1", "user%1f@127.0.0.1:1",
  ])
  func `an invalid proxy is an error, and is not ignored`(proxy: String) async {
    var curl = CurlConfiguration()
    curl.proxy = .url(proxy)
    await isUnsupported(curl)
  }

  @Test(arguments: [
    ("127.0.0.1\r\n", "127.0.0.1"), ("-127.0.0.1", "127.0.0.1"), ("*", "127.0.0.1"), ("", "127.0.0.1"),
    ("a:b", "127.0.0.1"), ("h", "127.0.0.1,10.0.0.1"), ("h", "elsewhere"), ("h", "127.0.0.1\0x"), ("h", ""),
  ])
  func `an invalid host override is an error, and is not ignored`(host: String, address: String) async {
    var curl = CurlConfiguration()
    curl.hostOverrides = [.init(host: host, port: server.port, address: address)]
    await isUnsupported(curl)
  }

  private func isUnsupported(_ curl: CurlConfiguration) async {
    let client = Client(transport: CurlTransport(configuration: curl))
    let error = await #expect(throws: RequestError.self) { _ = try await client.send(.get(server.url("/"))) }
    #expect(error?.code == .unsupported)
    #expect(error?.attempt ?? 0 <= 1)
    #expect(server.connections.isEmpty)
  }
}
