import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

/// A server may respond before it has read the request. That response counts, whatever happens to the
/// connection.
@Suite(.timeLimit(.minutes(1))) struct EarlyResponseTests {
  private let server: MockServer
  private let client: Client
  private let large = RequestBody.bytes(Data(count: 20 << 20))

  init() throws {
    server = try MockServer()
    var configuration = ClientConfiguration()
    configuration.retry = .never
    client = Client(transport: CurlTransport(), configuration: configuration)
    client.limits = .unlimited
  }

  private func post(_ path: String, _ body: RequestBody) -> Request { .post(server.url(path), body) }

  @Test(arguments: [
    MockResponse.response(status: 413, body: "too large"), .chunked(status: 413, "too ", "large"),
  ])
  func `a 413 to an upload is not lost when the server closes at once`(response: MockResponse) async throws {
    server.on("/close", at: .head) { _ in response.closing(at: .end, reading: false) }
    let client = client
    let request = post("/close", large)
    try await withThrowingTaskGroup(of: RequestError?.self) { group in
      for _ in 0..<40 {
        group.addTask { await #expect(throws: RequestError.self) { try await client.send(request) } }
      }
      for try await error in group {
        #expect(error?.status == 413)
        #expect(error?.bodyPrefix == Data("too large".utf8))
      }
    }
  }

  @Test func `a 413 ends an upload whose stream has no more bytes yet`() async throws {
    server.on("/whole", at: .head) { _ in .response(status: 413, body: "too large").withoutReading() }
    server.on("/chunked", at: .head) { _ in
      .chunked(status: 413, "too ", "large").withoutReading()
    }
    for path in ["/whole", "/chunked"] {
      let (pieces, source) = AsyncStream<Data>.makeStream()
      source.yield(Data(count: 10))
      let error = await #expect(throws: RequestError.self) {
        try await client.send(post(path, .stream(pieces)))
      }
      #expect(error?.status == 413)
      #expect(error?.bodyPrefix == Data("too large".utf8))
      source.finish()
    }
  }

  @Test func `a complete response counts when the server then stops reading`() async throws {
    server.on("/stop", at: .head) { _ in .response(body: "done").withoutReading() }
    let response = try await client.send(post("/stop", large).timeout(.milliseconds(500)))
    #expect(response.text == "done")
  }

  @Test(arguments: [MockResponse.response(body: "done"), .chunked("do", "ne")])
  func `a complete response counts when the server then closes the connection`(response: MockResponse)
    async throws
  {
    server.on("/close", at: .head) { _ in response.closing(at: .end, reading: false) }
    for _ in 0..<20 {
      let response = try await client.send(post("/close", large))
      #expect(response.text == "done")
    }
  }

  @Test func `an upload is sent to its end even if a success arrives early`() async throws {
    server.on("/early", at: .head) { _ in .response(body: "done") }
    let response = try await client.send(post("/early", .bytes(Data(count: 3 << 20))))
    #expect(response.text == "done")
    // The next request waits behind it, on the same connection.
    #expect(try await client.send(post("/early", .text("next"))).text == "done")
    #expect(server.requests.map(\.connection) == [1, 1])
    #expect(server.requests.first?.body.count == 3 << 20)
  }
}
