import ErrandCore
import ErrandCurl
import ErrandTesting
import Testing

@Suite("Connections of the libcurl transport")
struct CurlConnectionTests {
  @Test("a slow first response does not hold up other requests to the same host")
  func slowFirstResponse() async throws {
    let server = try MockServer()
    server.on("GET", "/slow") { _ in .stall }
    server.on("GET", "/quick") { _ in .response(body: "quick") }
    let client = Client(transport: CurlTransport())
    let slow = Task { try await client.send(.get(server.url("/slow"))) }
    try await server.waitForRequests(1)
    let quick = try await client.send(.get(server.url("/quick")).bestEffort())
    #expect(quick.text == "quick")
    slow.cancel()
    _ = await slow.result
  }

  @Test("shutting down twice, or before anything was sent, ends like once", .timeLimit(.minutes(1)))
  func shutDownTwice() async throws {
    let server = try MockServer()
    server.otherwise { _ in .response() }
    let transport = CurlTransport()
    _ = try await Client(transport: transport).send(.get(server.url("/")))
    async let first: Void = transport.shutdown()
    async let second: Void = transport.shutdown()
    _ = await (first, second)
    await transport.shutdown()
    try await server.waitForOpenConnections(0)
    await CurlTransport().shutdown()
  }
}
