import ErrandCore
import ErrandCurl
import ErrandTesting
import Testing

@Suite("Connections of the libcurl transport")
struct CurlConnectionTests {
  @Test("a slow first response does not delay other requests to the same host")
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

  #if os(Linux)
    @Test("bytes that arrive without a request are not used as a response", .timeLimit(.minutes(1)))
    func unasked() async throws {
      let server = try MockServer()
      let unasked = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother"
      server.on("/first") { _ in
        .response(body: "first\(unasked)").announcing(length: 5).pausing(.milliseconds(50), at: .body(5))
      }
      server.otherwise { .response(body: $0.target) }
      let client = Client(transport: CurlTransport())
      for number in 0..<3 {
        #expect(try await client.send(.get(server.url("/first"))).text == "first")
        while try SocketTable.waiting(from: server.port) == 0 { await Task.yield() }
        #expect(try await client.send(.get(server.url("/\(number)"))).text == "/\(number)")
        #expect(try await client.send(.post(server.url("/again"), .text("x"))).text == "/again")
        #expect(server.connections.count == number + 2)
      }
      #expect(server.count("/first") == 3)
    }
  #endif

  /// Returns a server whose responses take some time, and a client that keeps idle connections.
  private func pair(idle: Int) throws -> (MockServer, Client) {
    let server = try MockServer()
    server.otherwise { _ in .response().pausing(.milliseconds(20)) }
    var curl = CurlConfiguration()
    (curl.threads, curl.maxIdleConnections) = (1, idle)
    let client = Client(transport: CurlTransport(configuration: curl))
    client.limits = .unlimited
    return (server, client)
  }

  /// libcurl counts the connections in use, too. So each of the 640 requests would close one.
  @Test(.timeLimit(.minutes(1)), arguments: [4, Int.max])
  func `connections in use are reused, however few may be idle`(idle: Int) async throws {
    let (server, client) = try pair(idle: idle)
    try await withThrowingTaskGroup { group in
      for _ in 0..<32 {
        group.addTask { for _ in 0..<20 { _ = try await client.send(.get(server.url("/"))) } }
      }
      try await group.waitForAll()
    }
    #expect(server.connections.count <= 320)
    await client.shutdown()
  }

  @Test(.timeLimit(.minutes(1)), arguments: [1, 4])
  func `no more idle connections are kept than permitted`(idle: Int) async throws {
    let (server, client) = try pair(idle: idle)
    try await withThrowingTaskGroup { group in
      for _ in 0..<16 { group.addTask { _ = try await client.send(.get(server.url("/"))) } }
      try await group.waitForAll()
    }
    // All may have ended at once. Each later request closes one connection at most.
    for _ in 0..<16 { _ = try await client.send(.get(server.url("/"))) }
    try await server.waitForOpenConnections(idle)
    await client.shutdown()
  }

  @Test(
    "shutting down twice, or before anything was sent, has the same effect as once", .timeLimit(.minutes(1)))
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
