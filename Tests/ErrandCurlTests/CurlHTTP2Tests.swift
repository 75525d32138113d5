import ErrandCore
import ErrandCurl
import Testing

@Suite("HTTP/2 on the libcurl transport", .timeLimit(.minutes(1)))
struct CurlHTTP2Tests {
  @Test("a cancel resets the stream, and the connection goes on")
  func resetOnCancel() async throws {
    let server = try Nghttpd(files: ["large": 200_000_000, "small": 1000])
    try await server.wait(for: "listen")
    let client = Client(transport: CurlTransport())
    let base = "http://127.0.0.1:\(server.port)"
    let first = try await client.send(.get("\(base)/small").httpVersion(.http2))
    #expect(first.timing.httpVersion == .http2)
    #expect(first.data.count == 1000)

    var large: Response? = try await client.stream(.get("\(base)/large").httpVersion(.http2))
    #expect(large?.status == 200)
    large = nil
    try await server.wait(for: "recv RST_STREAM frame")

    let waiting = Task {
      let response = try await client.stream(.get("\(base)/large").httpVersion(.http2))
      for try await _ in try #require(response.chunks) {}
    }
    waiting.cancel()
    let error = await #expect(throws: RequestError.self) { try await waiting.value }
    #expect(error?.isCancellation == true)

    let last = try await client.send(.get("\(base)/small").httpVersion(.http2))
    #expect(last.timing.connectionReused == true)
  }
}
