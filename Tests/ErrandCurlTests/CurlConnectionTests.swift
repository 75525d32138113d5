import ErrandCore
import ErrandCurl
import ErrandTesting
import Testing

@Suite("Connections of the libcurl transport")
struct CurlConnectionTests {
  @Test("a slow first answer does not hold up other requests to the same host")
  func slowFirstAnswer() async throws {
    let server = try MockServer()
    server.on("GET", "/slow") { _ in .stall }
    server.on("GET", "/quick") { _ in .answer(body: "quick") }
    let client = Client(transport: CurlTransport())
    let slow = Task { try await client.send(.get(server.url("/slow"))) }
    try await server.waitForRequests(1)
    let quick = try await client.send(.get(server.url("/quick")).bestEffort())
    #expect(quick.text == "quick")
    slow.cancel()
    _ = await slow.result
  }
}
