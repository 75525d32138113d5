import ErrandCore
import ErrandCurl
import ErrandTesting
import Testing

/// Second attempts on sockets. The clock is the system's, and no test asserts how long a response takes.
@Suite(.timeLimit(.minutes(1))) struct HedgingOnSocketsTests {
  private let server: MockServer
  private let client = Client(transport: CurlTransport())

  init() throws { server = try MockServer() }

  /// Sends requests until a second attempt is allowed.
  private func warmUp(_ count: Int = 20) async throws {
    server.on("/warm") { _ in .response(body: "warm") }
    for _ in 0..<count { try await client.send(.get(server.url("/warm")).hedged(after: .seconds(60))) }
  }

  @Test func `the second attempt wins, and the connection of the first is closed`() async throws {
    try await warmUp()
    server.script("GET", "/slow", [.response(body: "first").stalling(at: .start), .response(body: "second")])
    let response = try await client.send(.get(server.url("/slow")).hedged(after: .milliseconds(50)))
    #expect(response.text == "second")
    #expect(response.timing.attempts == 2)
    #expect(server.count("/slow") == 2)
    // That of the winner is kept for later requests.
    try await server.waitForOpenConnections(1)
    await client.shutdown()
  }

  @Test func `the stream of the second attempt is read to its end`() async throws {
    try await warmUp()
    let body = String(repeating: "0123456789", count: 300_000)
    server.script("GET", "/slow", [.response(body: "first").stalling(at: .start), .response(body: body)])
    let response = try await client.stream(.get(server.url("/slow")).hedged(after: .milliseconds(50)))
    var count = 0
    for try await chunk in response.chunks { count += chunk.count }
    #expect(count == body.utf8.count)
    #expect(response.chunks.timing?.attempts == 2)
    await client.shutdown()
  }

  @Test func `a cancelled call closes the connections of both attempts`() async throws {
    try await warmUp()
    server.on("/slow") { _ in .response(body: "late").stalling(at: .start) }
    let call = client.start(.get(server.url("/slow")).hedged(after: .milliseconds(50)))
    try await server.waitForRequests(2, path: "/slow")
    call.cancel()
    let error = await #expect(throws: RequestError.self) { try await call.value }
    #expect(error?.cancellation == .callCancelled)
    try await server.waitForOpenConnections(0)
    await client.shutdown()
  }

  @Test(.speaksHTTP2) func `over HTTP/2 the stream of the first is reset, and its connection remains`()
    async throws
  {
    let nginx = try await StockNginx(
      before: server.port, "proxy_buffering off; add_header X-Connection $connection;")
    var configuration = CurlConfiguration()
    configuration.certificateAuthorityFile = nginx.authority
    let client = Client(transport: CurlTransport(configuration: configuration))
    server.on("/warm") { _ in .response(body: "warm") }
    var connections: [String?] = []
    for _ in 0..<20 {
      let response = try await client.send(.get(nginx.url("/warm")).hedged(after: .seconds(60)))
      #expect(response.timing.httpVersion == .http2)
      connections.append(response.fields["X-Connection"])
    }
    let body = String(repeating: "0123456789", count: 500)
    server.on("/long") { _ in .response(body: body).dripping(10, every: .milliseconds(2)) }
    let long = try await client.stream(.get(nginx.url("/long")))
    connections.append(long.fields["X-Connection"])
    server.script("GET", "/slow", [.response(body: "first").stalling(at: .start), .response(body: "second")])
    let response = try await client.send(.get(nginx.url("/slow")).hedged(after: .milliseconds(50)))
    #expect(response.text == "second" && response.timing.attempts == 2)
    connections.append(response.fields["X-Connection"])
    // nginx ends its request to the server when the stream is reset.
    let loser = try #require(server.requests.first { $0.path == "/slow" })
    #expect(try await server.waitUntilClosed(connection: loser.connection) != .closedByServer)
    var count = 0
    for try await chunk in long.chunks { count += chunk.count }
    #expect(count == body.utf8.count)
    connections.append(try await client.send(.get(nginx.url("/warm"))).fields["X-Connection"])
    #expect(Set(connections).count == 1 && connections[0] != nil, "\(connections)")
    await client.shutdown()
  }
}
