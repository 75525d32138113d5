import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// Trailers, interim responses, and bodies in both directions at once. `TransportConformance` has more cases.
@Suite(.timeLimit(.minutes(1))) struct TrailersOnSocketsTests {
  private let server: MockServer
  private let client: Client

  init() throws {
    server = try MockServer()
    client = Client(transport: CurlTransport())
  }

  @Test func `HTTP/2 is refused for a body with trailers before anything is sent`() async throws {
    let body = RequestBody.text("hello").withTrailers { ["X-Sum": "1"] }
    let error = await #expect(throws: RequestError.self) {
      try await client.send(.post(server.url("/"), body).httpVersion(.http2))
    }
    #expect(error?.code == .unsupported)
    #expect(error?.reachedServer == false)
    #expect(error?.message.contains("libcurl sends no trailers with HTTP/2") == true)
    #expect(server.connections.isEmpty)
  }

  @Test func `a retried body has new trailers, after its compression`() async throws {
    server.script("POST", "/", [.response(status: 503), .response()])
    let count = Locked(0)
    let body = RequestBody.text(String(repeating: "hello", count: 1000)).withTrailers {
      count.withLock { count in
        count += 1
        return ["X-Count": "\(count)"]
      }
    }
    var configuration = ClientConfiguration()
    configuration.retry = .attempts(2)
    configuration.retry.backoff = .zero
    let client = Client(transport: CurlTransport(), configuration: configuration)
    try await client.send(.post(server.url("/"), body).compressed().idempotencyKey("a"))
    #expect(server.requests.map { $0.trailers["X-Count"] } == ["1", "2"])
    for request in server.requests {
      #expect(request.fields["Content-Encoding"] == "gzip")
      #expect(request.body.count < 1000)
    }
  }

  @Test func `the limit of fields counts trailers`() async throws {
    var configuration = CurlConfiguration()
    configuration.maxFieldBytes = 1000
    let client = Client(transport: CurlTransport(configuration: configuration))
    server.otherwise { request in
      let count = request.path == "/few" ? 5 : 20
      let trailers = (0..<count).reduce(into: HTTPFields()) {
        $0.append("X-\($1)", String(repeating: "a", count: 50))
      }
      return .chunked(chunks: [Data("hello".utf8)], trailers: trailers)
    }
    #expect(try await client.send(.get(server.url("/few"))).trailers.count == 5)
    let error = await #expect(throws: RequestError.self) { try await client.send(.get(server.url("/many"))) }
    #expect(error?.code == .fieldsTooLarge)
  }

  @Test func `listeners receive interim responses, without secrets`() async throws {
    final class Interims: EventListener {
      let seen = Locked<[(HTTPStatus, HTTPFields)]>([])
      func record(_ event: CallEvent) {
        if case .interim(let response) = event.kind {
          seen.withLock { $0.append((response.status, response.fields)) }
        }
      }
    }
    let interims = Interims()
    var configuration = ClientConfiguration()
    configuration.listeners = [interims]
    let client = Client(transport: CurlTransport(), configuration: configuration)
    server.on("/") { _ in
      .response(body: "done").afterInterim(102)
        .afterInterim(
          103, fields: ["Link": "</a.css>; rel=preload", "Link": "</b.css>", "Set-Cookie": "a=b"])
    }
    #expect(try await client.send(.get(server.url("/"))).text == "done")
    let seen = interims.seen.withLock { $0 }
    #expect(seen.map(\.0) == [102, 103])
    #expect(seen.last?.1.values(of: "Link") == ["</a.css>; rel=preload", "</b.css>"])
    #expect(seen.last?.1["Set-Cookie"] == "***")
  }

  @Test func `a stream that always has more bytes is sent to its end after an early success`() async throws {
    server.on("POST", "/", at: .head) { _ in .response(body: "done") }
    let file = try TemporaryFolder()
    try file.write(String(repeating: "a", count: 3 << 20), to: "file")
    let response = try await client.send(
      .post(server.url("/"), .file(file.file("file")).withTrailers { [:] }))
    #expect(response.text == "done")
    try await waitUntil { server.requests.first?.bodyBytes == 3 << 20 }
  }
}

/// The same over HTTP/2.
@Suite(.speaksHTTP2, .timeLimit(.minutes(1))) struct TrailersOverHTTP2Tests {
  private let client = Client(transport: CurlTransport())

  @Test func `trailers are read`() async throws {
    let server = try await Nghttpd(files: ["small": 1000], tls: false, trailer: "x-sum: 12")
    try await server.wait(for: "listen")
    let request = Request.get("http://127.0.0.1:\(server.port)/small").httpVersion(.http2)
    let response = try await client.send(request)
    #expect(response.timing.httpVersion == .http2)
    #expect(response.trailers == ["x-sum": "12"])
    #expect(response.fields["x-sum"] == nil)
    let chunks = try await client.stream(request).chunks
    for try await _ in chunks {}
    #expect(chunks.trailers == ["x-sum": "12"])
  }

  @Test func `a client and a server send by turns`() async throws {
    let server = try await PythonServer(RawHTTP2Server.script(.echoes))
    let (chunks, source) = AsyncStream<Data>.makeStream()
    let response = try await client.stream(.post(server.url, .stream(chunks)).httpVersion(.http2))
    let stream = response.chunks
    var iterator = stream.makeAsyncIterator()
    for number in 0..<100 {
      source.yield(Data([UInt8(number)]))
      #expect(try await iterator.next() == Data([UInt8(number)]))
    }
    source.finish()
    #expect(try await iterator.next() == nil)
    #expect(stream.trailers == ["x-sum": "1", "x-sum": "2"])
    #expect(stream.timing?.httpVersion == .http2)
  }

  // libcurl does not report the end of a response of unknown length unless the server resets the stream.
  @Test(arguments: [RawHTTP2Server.Course.whole, .wholeThenReset, .wholeWithoutLengthThenReset])
  func `a whole response ends a call whose stream is still open`(course: RawHTTP2Server.Course) async throws {
    let server = try await PythonServer(RawHTTP2Server.script(course))
    for number in 1...3 {
      let (chunks, source) = AsyncStream<Data>.makeStream()
      source.yield(Data("begun".utf8))
      let response = try await client.send(.post(server.url, .stream(chunks)).httpVersion(.http2))
      #expect(response.text == "\(number)")
      source.finish()
    }
  }

  @Test func `a body with trailers is sent with HTTP/1.1 where HTTP/2 would be used`() async throws {
    let server = try MockServer()
    server.on("POST", "/") { _ in .response(body: "done") }
    let nginx = try await Nginx(behind: server.port)
    var configuration = CurlConfiguration()
    configuration.certificateAuthorityFile = nginx.certificates.authority
    let client = Client(transport: CurlTransport(configuration: configuration))
    let url = nginx.url("good", "/behind")
    let plain = try await client.send(.post(url, .text("hello")))
    #expect(plain.timing.httpVersion == .http2)
    let response = try await client.send(.post(url, .text("hello").withTrailers { ["X-Sum": "1"] }))
    #expect(response.timing.httpVersion == .http11)
    #expect(response.text == "done")
  }
}
