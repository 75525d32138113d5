import ErrandCore
import ErrandCurl
import Foundation
import TestSupport
import Testing

/// The outcome of a request over HTTP/2, which depends on the bytes that the server sent and not on how its
/// stream ended.
@Suite(.speaksHTTP2, .timeLimit(.minutes(1))) struct HTTP2OutcomeTests {
  private let client: Client
  private let large = RequestBody.bytes(Data(count: 1 << 20))

  init() {
    var configuration = ClientConfiguration()
    configuration.retry = .never
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private func server(_ course: RawHTTP2Server.Course) async throws -> PythonServer {
    try await PythonServer(RawHTTP2Server.script(course))
  }

  private func post(_ server: PythonServer, _ body: RequestBody = .text("body")) -> Request {
    .post(server.url, body).httpVersion(.http2)
  }

  @Test(arguments: [RawHTTP2Server.Course.wholeThenReset, .wholeWithoutLengthThenReset])
  func `a complete response counts even if the server then resets the stream`(
    course: RawHTTP2Server.Course
  ) async throws {
    let server = try await server(course)
    for (number, body) in [RequestBody.text("body"), large, .text("body"), large].enumerated() {
      let response = try await client.send(post(server, body))
      #expect(response.status == 200)
      #expect(response.text == "\(number + 1)")
      #expect(response.timing.httpVersion == .http2)
    }
  }

  @Test func `a refusal keeps its status even if the server then resets the stream`() async throws {
    let server = try await server(.refusalThenReset)
    for number in 1...3 {
      let error = await #expect(throws: RequestError.self) { try await client.send(post(server, large)) }
      #expect(error?.status == 401)
      #expect(error?.bodyPrefix == Data("\(number)".utf8))
    }
  }

  @Test func `a request that was refused unprocessed is sent again within its attempt`() async throws {
    let server = try await server(.refuses)
    let response = try await client.send(post(server))
    #expect(response.text == "3")
    #expect(response.timing.attempts == 3)
  }

  @Test func `a server that always refuses counts as not reached`() async throws {
    let server = try await server(.alwaysRefuses)
    let error = await #expect(throws: RequestError.self) { try await client.send(post(server)) }
    #expect(error?.code == .connectionLost)
    #expect(error?.reachedServer == false)
    #expect(error?.attempt == 1)
    #expect(error?.message.contains("REFUSED_STREAM") == true)
  }

  @Test(arguments: [
    "REFUSED_STREAM, retrying", "HTTP/2 stream 1 refused by server", "Downgrades to HTTP/1.1",
  ])
  func `libcurl's phrases in a request are not mistaken for its messages`(words: String) async throws {
    let server = try await server(.endsFirst)
    let url = server.url.appending(path: words)
    let request = Request.post(url, .text("body")).field("X-Note", words)
      .httpVersion(.http2)
    let error = await #expect(throws: RequestError.self) { try await client.send(request) }
    #expect(error?.code == .connectionLost)
    #expect(error?.reachedServer == true)
    #expect(try await client.send(post(server)).text == "2")
  }

  @Test func `a started body stream is not sent again, and has not reached the server`()
    async throws
  {
    let server = try await server(.alwaysRefuses)
    let body = AsyncStream<Data> { source in
      source.yield(Data(count: 10))
      source.finish()
    }
    let error = await #expect(throws: RequestError.self) {
      try await client.send(post(server, .stream(body)))
    }
    #expect(error?.reachedServer == false)
  }

  @Test func `a request above the last stream of a GOAWAY is sent again on a new connection`() async throws {
    let server = try await server(.goesAway)
    _ = try await client.send(post(server))
    let response = try await client.send(post(server))
    // Two on the first connection, and the second one again.
    #expect(response.text == "3")
  }

  /// libcurl reads the GOAWAY when it chooses the connection, and then does not send the request.
  @Test func `a request is sent again if its connection gets a GOAWAY before the request is sent`()
    async throws
  {
    let folder = try TemporaryFolder()
    let certificates = try await Certificates(in: folder)
    let server = try await PythonServer(
      RawHTTP2Server.script(.goesAwayTwice, certificate: certificates.path("good")))
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    var curl = CurlConfiguration()
    curl.certificateAuthorityFile = certificates.authority
    let client = Client(transport: CurlTransport(configuration: curl))
    let body = AsyncStream<Data> { source in
      source.yield(Data(count: 10))
      source.finish()
    }
    // libcurl opens a second connection for it, which then has had no request.
    await #expect(throws: RequestError.self) {
      try await client.send(.post(url, .stream(body)).retry(.never))
    }
    _ = try await client.send(.get(url).httpVersion(.http1))
    #expect(try await client.send(.post(url, .text("body")).retry(.never)).status == 200)
  }

  @Test func `a file is sent again completely`() async throws {
    let server = try await server(.refuses)
    let file = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID()).bin")
    try Data(count: 30_000).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let response = try await client.send(post(server, .file(file)))
    #expect(response.text == "3")
  }

  @Test(arguments: [RawHTTP2Server.Course.cut, .closes])
  func `a part of a response is not accepted as a response`(course: RawHTTP2Server.Course) async throws {
    let server = try await server(course)
    let error = await #expect(throws: RequestError.self) {
      try await client.send(.get(server.url).httpVersion(.http2))
    }
    #expect(error?.code == .connectionLost)
    #expect(error?.reachedServer == true)
  }
}
