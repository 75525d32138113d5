import ErrandCore
import ErrandCurl
import ErrandTesting
import Testing

@Suite struct StreamCheckTests {
  private struct Refusal: Error {}

  @Test func `a check that rejects a streamed response fails the call with its error`() async throws {
    let server = try MockServer()
    server.on("GET", "/") { _ in .response(body: "hello").stalling(at: .body(2)) }
    let client = Client(transport: CurlTransport())
    let error = await #expect(throws: RequestError.self) {
      try await client.stream(.get(server.url("/")).validate { _ in throw Refusal() })
    }
    #expect(error?.code == .rejected)
    #expect(error?.underlying is Refusal)
    try await server.waitForOpenConnections(0)
  }
}
