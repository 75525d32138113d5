import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCurl

/// Response heads that no server should send. The connection stays open after them, so a client that waits
/// for more would hang.
@Suite(.timeLimit(.minutes(1))) struct OddHeadsTests {
  private let server: MockServer
  private let client: Client
  private var configuration = ClientConfiguration()

  init() throws {
    server = try MockServer()
    configuration.retry = .attempts(1)
    configuration.timeout = .seconds(10)
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private func serve(_ head: String, _ body: Data) {
    server.on("/") { _ in .raw(Data(head.utf8) + body).stalling(at: .end) }
  }

  private func error(_ request: Request) async -> RequestError? {
    await #expect(throws: RequestError.self) { try await client.send(request) }
  }

  @Test func `a field that looks like a status line is not accepted as a field`() async {
    serve("HTTP/1.1 200 OK\r\nHTTP/1.1 100 x: y\r\n\r\n", Data(count: 1 << 20))
    #expect(await error(.get(server.url("/")).memoryLimit(300_000))?.code == .invalidResponse)
  }

  @Test(arguments: ["HTTP/2 7 x\r\n\r\n", "HTTP/1.1 099 x\r\n\r\n", "HTTP/1.1 000 x\r\n\r\n"])
  func `a status below 100 is refused before any body is buffered`(head: String) async {
    serve(head, Data(count: 1 << 20))
    let error = await error(.get(server.url("/")))
    #expect(error?.code == .invalidResponse)
    // libcurl itself refuses the others.
    let isOurs = head.hasPrefix("HTTP/2")
    #expect(error?.message.contains("the response has the status 7") == isOurs)
  }

  private static let unreadable = ["99999999999999999999999", "9223372036854775808", "+2", "2x", "", "-0"]

  @Test(arguments: unreadable)
  func `a body with an unreadable Content-Length is not delivered`(length: String) async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
    server.on("/") { _ in .raw(Data(head.utf8) + Data("ok".utf8)) }
    server.on("/open") { _ in .raw(Data(head.utf8) + Data("ok".utf8)).stalling(at: .end) }
    // A server that leaves the connection open reads no further request from it.
    for path in ["/", "/open"] {
      let request = Request.get(server.url(path)).timeout(.seconds(60))
      #expect(await error(request)?.code == .invalidResponse)
      try await TemporaryFolder.using { folder in
        let error = await #expect(throws: RequestError.self) {
          try await client.download(request, to: folder.appending(path: "file"))
        }
        #expect(error?.code == .invalidResponse)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == [])
      }
      let streamed = await #expect(throws: RequestError.self) { try await client.stream(request) }
      #expect(streamed?.code == .invalidResponse)
    }
  }

  // libcurl itself refuses the others.
  @Test(arguments: ["99999999999999999999999", "9223372036854775808"])
  func `a Content-Length has no meaning where there is no body`(length: String) async throws {
    for status in [200, 204, 304] {
      // The server ends the connection after each response, and says so.
      server.on("/") { _ in
        .raw("HTTP/1.1 \(status) x\r\nConnection: close\r\nContent-Length: \(length)\r\n\r\n")
      }
      let request = status == 200 ? Request.head(server.url("/")) : .get(server.url("/"))
      let response = try await client.send(request.acceptingAnyStatus())
      #expect(response.status.code == status && response.data.isEmpty)
    }
  }

  @Test(arguments: ["HTTP/1.1 200 OK", "HTTP/1.1  200 OK", "HTTP/1.1    200"])
  func `the spaces before a status are not part of it`(line: String) async throws {
    serve("\(line)\r\nContent-Length: 2\r\n\r\n", Data("ok".utf8))
    do {
      let response = try await client.send(.get(server.url("/")))
      #expect(response.status == 200)
      #expect(response.text == "ok")
    } catch let error as RequestError where line.contains("  ") {
      // Newer versions of libcurl accept only one space.
      #expect(error.code == .invalidResponse)
    }
  }

  @Test(arguments: ["HTTP/1.1 200 OK", "HTTP/1.1  200 OK", "HTTP/1.1    200"])
  func `a status line is parsed with any number of spaces before its status`(line: String) {
    #expect(Array(line.utf8).withUnsafeBytes { StatusLine($0[...])?.status } == 200)
  }

  @Test func `a first field that begins with a space is not written into an earlier response`() async throws {
    server.on("/ok") { _ in .response(fields: ["X-First": "1"], body: "ok") }
    serve("HTTP/1.1 200 OK\r\n Content-Length: 2\r\n\r\n", Data("ok".utf8))
    for _ in 0..<20 {
      #expect(try await client.send(.get(server.url("/ok"))).text == "ok")
      #expect(await error(.get(server.url("/")).timeout(.seconds(2)))?.code != .timedOut)
    }
  }

  /// The field is the first of the response, although other lines are before it.
  @Test(arguments: [
    "HTTP/1.1 100 Continue\r\n\rx\r\nHTTP/1.1 200 OK\r\n fold: y\r\n",
    "HTTP/1.1 100 Continue\r\n\n\rHTTP/1.1 200 OK\r\n\tfold: y\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n fold: y\r\n",
    "HTTP/1.1 103 Early\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\n fold: y\r\n",
    "HTTP/1.1 200 OK\r\nHTTP/1.1 200 OK\r\n fold: y\r\n",
  ])
  func `a first field that begins with a space is refused after other lines`(head: String) async throws {
    server.on("/ok") { _ in .response(fields: ["X-First": "1"], body: "ok") }
    serve("\(head)Content-Length: 2\r\n\r\n", Data("ok".utf8))
    for _ in 0..<20 {
      #expect(try await client.send(.get(server.url("/ok"))).text == "ok")
      let error = await error(.get(server.url("/")).timeout(.seconds(5)))
      #expect(error?.code == .invalidResponse, "\(error.map { "\($0)" } ?? "no error")")
    }
  }

  @Test(arguments: ["\rx\r\n", "\r\r\n"])
  func `a line that begins with a line break does not end a head`(line: String) async throws {
    serve("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\(line)\r\n", Data("ok".utf8))
    let error = await error(.get(server.url("/")))
    #expect(error?.code == .invalidResponse)
    #expect(error?.message.contains("a line of the response's head begins with a line break") == true)
  }

  #if os(Linux)
    @Test(arguments: ["Via: 1.1 raw\r\n", " folded: x\r\n"])
    func `a tunnel's response says nothing about the head of the server's response`(fields: String)
      async throws
    {
      server.on("/ok") { _ in .response(fields: ["X-First": "1", "Connection": "close"], body: "ok") }
      serve("HTTP/1.1 200 OK\r\n fold: y\r\nContent-Length: 2\r\n\r\n", Data("ok".utf8))
      let nginx = try await Nginx()
      let relay = try await TLSRelay(to: server.port, "good", of: nginx.certificates)
      let target = relay.port
      let proxy = try RawProxy { _ in .tunnel(target, fields: fields) }
      defer { proxy.stop() }
      var curl = CurlConfiguration()
      curl.proxy = .url("http://127.0.0.1:\(proxy.port)")
      curl.certificateAuthorityFile = nginx.certificates.authority
      // So libcurl shows the tunnel's response, too.
      curl.onSentHead = { _ in }
      let client = Client(transport: CurlTransport(configuration: curl), configuration: configuration)
      for _ in 0..<5 {
        #expect(try await client.send(.get("https://localhost:\(target)/ok")).text == "ok")
        let error = await #expect(throws: RequestError.self) {
          try await client.send(.get("https://localhost:\(target)/").timeout(.seconds(5)))
        }
        #expect(error?.code == .invalidResponse, "\(error.map { "\($0)" } ?? "no error")")
      }
    }

    @Test func `decrypted bytes that belong to no request are not taken for a response`() async throws {
      let stray = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray"
      // The body and the stray response come in one record of TLS.
      server.on("/first") { _ in
        .response(body: "first\(stray)").announcing(length: 5).pausing(.milliseconds(50), at: .body(0))
      }
      server.on("/next") { _ in .response(body: "next") }
      let nginx = try await Nginx()
      let relay = try await TLSRelay(to: server.port, "good", of: nginx.certificates)
      var curl = CurlConfiguration()
      curl.certificateAuthorityFile = nginx.certificates.authority
      let client = Client(transport: CurlTransport(configuration: curl), configuration: configuration)
      for _ in 0..<5 {
        #expect(try await client.send(.get("https://localhost:\(relay.port)/first")).text == "first")
        #expect(try await client.send(.get("https://localhost:\(relay.port)/next")).text == "next")
      }
    }
  #endif

  @Test(.computesLong) func `a head is parsed in one pass, whatever lines it repeats`() {
    for line in ["Content-Encoding: x\r\n", "X: y\r\n", " folded\r\n"] {
      let text = "HTTP/1.1 200 OK\r\nX: y\r\n" + String(repeating: line, count: 20_000)
      var memo = HeadMemo()
      let parser = Array(text.utf8).withUnsafeBytes { HeadParser($0, &memo) }
      #expect(parser.head.status == 200)
    }
  }

  /// Heads of a few lines in all orders, so that each line is cached, cached in another place, or new.
  @Test func `a head is parsed identically whether its lines are cached or not`() {
    let lines = [
      "Content-Type: text/plain\r\n", "Content-Encoding: gzip\r\n", "Transfer-Encoding: gzip\r\n", "X: 1\r\n",
      "X: 2\r\n", "x: 1\r\n", "Set-Cookie: a=b\r\n", " folded\r\n", "\r\n", "\n", "no field\r\n",
      "HTTP/1.1 404 No\r\n", ":\r\n",
      "X: \(String(repeating: "y", count: 600))\r\n", "Unended: 1",
    ]
    var random = SeededRandom(seed: 16)
    var memo = HeadMemo()
    for _ in 0..<2000 {
      var text = ["HTTP/1.1 200 OK\r\n", "HTTP/2 204\r\n"].randomElement(using: &random)!
      for _ in 0..<Int.random(in: 0...6, using: &random) { text += lines.randomElement(using: &random)! }
      Array(text.utf8).withUnsafeBytes { bytes in
        var none = HeadMemo()
        let whole = HeadParser(bytes, &none)
        // The second time the whole head is cached.
        for known in [HeadParser(bytes, &memo), HeadParser(bytes, &memo)] {
          #expect(whole.head.status == known.head.status && whole.version == known.version, "\(text)")
          #expect(whole.head.fields.map(\.shown) == known.head.fields.map(\.shown), "\(text)")
          #expect(whole.hasContentEncoding == known.hasContentEncoding, "\(text)")
        }
        let framing = BodyFraming(head: bytes)
        // The third time it is cached.
        for known in [memo.framing(of: bytes), memo.framing(of: bytes)] {
          #expect(framing.bytes == known.bytes && framing.isChunked == known.isChunked, "\(text)")
          #expect(framing.problem(mayHaveBody: true) == known.problem(mayHaveBody: true), "\(text)")
        }
      }
    }
  }

  @Test func `a head is cached for the next response, unless it is long or has a secret`() {
    func isKept(_ fields: String, then other: String? = nil) -> Bool {
      var memo = HeadMemo()
      let head = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8)
      head.withUnsafeBytes { _ = HeadParser($0, &memo) }
      if let other { Array(other.utf8).withUnsafeBytes { _ = HeadParser($0, &memo) } }
      return head.withUnsafeBytes { memo.parsed($0) } != nil
    }
    #expect(isKept("X: 1\r\n"))
    #expect(!isKept("X: 1\r\nSet-Cookie: a=b\r\n"))
    #expect(!isKept("X-Session-Token: 1\r\n"))
    #expect(!isKept("X: \(String(repeating: "x", count: 5000))\r\n"))
    #expect(!isKept("X: 1\r\n", then: "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n\r\n"))
  }

  @Test func `the fields of a response are those of its last head`() async throws {
    serve(
      "HTTP/1.1 103 Early\r\nX: 1\r\n\r\nHTTP/1.1 200 OK\r\nHTTP: 404 x: y\r\nContent-Length: 2\r\n\r\n",
      Data("ok".utf8))
    let response = try await client.send(.get(server.url("/")))
    #expect(response.status == 200)
    #expect(response.text == "ok")
    #expect(!response.fields.contains("X"))
  }

  /// libcurl would send the request again by itself, and combine the second response's body with the first
  /// one's head.
  @Test func `a request with Expect that gets a 417 is sent once more without it`() async throws {
    // The second time it reads the body first, because a refusal before that may end the upload.
    server.on("/", at: .head) { request in
      let refusal = MockResponse.response(status: 417, body: "hello")
      return request.fields.contains("Expect") ? refusal : refusal.afterBody()
    }
    let request = Request.put(server.url("/"), .text("body")).field("Expect", "100-continue")
      .attempts(3)
    let error = await error(request)
    #expect(error?.code == .rejected)
    #expect(error?.status == 417)
    // The server mistakes a second head for the body that it still waits for.
    #expect(try await server.waitUntilClosed(connection: 1) != .closedByServer)
    #expect(server.requests.map(\.body) == [Data(), Data("body".utf8)])
    #expect(server.requests.map { $0.fields["Expect"] } == ["100-continue", nil])
  }
}

extension HTTPFields.Field {
  fileprivate var shown: String { "\(name): \(value) \(isSecret)" }
}
