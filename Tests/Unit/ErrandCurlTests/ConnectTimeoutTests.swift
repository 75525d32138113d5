import ErrandCurl
import Foundation
import Testing

@testable import ErrandConformance
@testable import ErrandCore
@testable import ErrandTesting

/// Time-outs that only a socket shows: connecting, and a server that does not support `Expect`.
@Suite(.timeLimit(.minutes(1))) struct ConnectTimeoutTests {
  private let server: MockServer

  init() throws { server = try MockServer() }

  @Test func `the client's connect time-out applies to requests without one`() async throws {
    guard let hole = try BlackHole.silent() else { return }
    var configuration = ClientConfiguration()
    configuration.connectTimeout = .milliseconds(200)
    configuration.timeout = .seconds(60)
    let client = Client(transport: CurlTransport(), configuration: configuration)
    let request = Request.get("http://127.0.0.1:\(hole.port)/").attempts(1)
    for request in [request, request.connectTimeout(.milliseconds(300))] {
      let error = await #expect(throws: RequestError.self) { try await client.send(request) }
      #expect(error?.code == .timedOut)
      #expect(error?.reachedServer == false)
      let limit = request.options.connectTimeout ?? .milliseconds(200)
      #expect(error?.message == "no connection was made within \(limit.formattedSeconds)")
    }
    // So even a POST is retried.
    var policy = RetryPolicy.attempts(2)
    policy.backoff = .zero
    let error = await #expect(throws: RequestError.self) {
      try await client.send(Request.post("http://127.0.0.1:\(hole.port)/").retry(policy))
    }
    #expect(error?.attempt == 2)
  }

  #if os(Linux)
    @Test func `an unfinished TLS handshake does not count as a connection`() async throws {
      // The server waits for the head of a request, and receives the first message of TLS.
      let silent = try RawProxy { _ in .close }
      defer { silent.stop() }
      let client = Client(transport: CurlTransport())
      let error = await #expect(throws: RequestError.self) {
        try await client.send(
          Request.get("https://127.0.0.1:\(silent.port)/").connectTimeout(.milliseconds(200)).attempts(1))
      }
      #expect(error?.code == .timedOut)
      #expect(error?.reachedServer == false)
    }
  #endif

  @Test func `a server that does not support Expect gets the request without it, once`() async throws {
    server.on("POST", "/", at: .head) { request in
      request.fields.contains("Expect")
        ? MockResponse.response(status: 417).withoutReading()
        : MockResponse.response(body: "done").afterBody()
    }
    let client = Client(transport: CurlTransport())
    let request = Request.post(server.url("/"), .bytes(Data(count: 300_000)))
      .field("Expect", "100-continue").attempts(1)
    let response = try await client.send(request)
    #expect(response.text == "done")
    #expect(server.requests.map { $0.fields["Expect"] } == ["100-continue", nil])
    #expect(server.requests.last?.body.count == 300_000)
    // If its body does not end, it is the response.
    server.on("POST", "/", at: .head) { _ in MockResponse.response(status: 417).withoutReading() }
    let error = await #expect(throws: RequestError.self) { try await client.send(request) }
    #expect(error?.status == 417)
    #expect(server.requests.count == 4)
  }
}
