import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@Suite("The mock server")
struct MockServerTests {
  let server: MockServer
  let client: Client

  init() throws {
    server = try MockServer()
    var configuration = ClientConfiguration()
    configuration.retry = .never
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  @Test("sends the responses of its routes, and 404 for any other path")
  func routes() async throws {
    server.on("GET", "/hello") { .response(body: "hello \($0.query ?? "")") }
    server.on("/any/*") { .response(status: 201, fields: ["X-Method": $0.method.rawValue]) }
    let hello = try await client.send(.get(server.url("/hello?a=1")))
    #expect(hello.text == "hello a=1")
    let put = try await client.send(.put(server.url("/any/thing")))
    #expect(put.status == 201 && put.fields["X-Method"] == "PUT")
    await #expect(throws: RequestError.self) { try await client.send(.delete(server.url("/hello"))) }
    #expect(server.requests.map(\.path) == ["/hello", "/any/thing", "/hello"])
    #expect(server.connections.count == 1)
  }

  @Test(
    "refuses a port that is in use, or that no port can be", arguments: [nil, -1, 65_536, 99_999, Int.max])
  func ports(_ port: Int?) throws {
    let error = #expect(throws: MockServerError.self) { _ = try MockServer(port: port ?? server.port) }
    #expect(error.map { "\($0)".contains("cannot use port \(port ?? server.port)") } == true)
  }

  @Test("plays a script and repeats its last response")
  func script() async throws {
    server.script("GET", "/s", [.response(body: "1"), .chunked("2", "2"), .response(body: "3")])
    var texts: [String] = []
    for _ in 0..<4 { texts.append(try await client.send(.get(server.url("/s"))).text) }
    #expect(texts == ["1", "22", "3", "3"])
    #expect(server.count("/s") == 4)
  }

  @Test("records bodies, with and without a length")
  func bodies() async throws {
    server.otherwise { .response(body: "\($0.bodyBytes)") }
    let plain = Data(count: 200_000)
    #expect(try await client.send(.post(server.url("/a"), .bytes(plain))).text == "200000")
    let chunks = AsyncStream<Data> { stream in
      for start in stride(from: 0, to: plain.count, by: 7000) {
        stream.yield(plain[start..<min(start + 7000, plain.count)])
      }
      stream.finish()
    }
    #expect(try await client.send(.post(server.url("/b"), .stream(chunks))).text == "200000")
    #expect(server.requests.map(\.body) == [plain, plain])
    #expect(server.requests.allSatisfy { $0.isComplete && !$0.wasAbandoned })
    #expect(server.requests[1].fields["Transfer-Encoding"] == "chunked")
  }

  @Test("detects that a client closes, even while it sends nothing")
  func seesClose() async throws {
    server.on("GET", "/stall") { _ in .stall }
    let waiting = Task { [client, server] in try await client.send(.get(server.url("/stall"))) }
    try await server.waitForRequests(1)
    #expect(server.openConnections == 1)
    waiting.cancel()
    let end = try await server.waitUntilClosed(connection: 1)
    #expect(end == .closedByClient)
    #expect(server.requests[0].wasAbandoned)
    #expect(server.openConnections == 0)
  }

  @Test("reports what it received when a wait fails")
  func waitInVain() async throws {
    do {
      try await server.waitForRequests(1, within: .milliseconds(50))
      Issue.record("it did not throw")
    } catch let error as MockServerError {
      #expect(error.description.contains("1 requests"))
      #expect(error.description.contains("0 requests"))
    }
  }

  @Test("a wait ends when its task is cancelled, and when the server stops")
  func waitEnds() async throws {
    let cancelled = Task { [server] in try await server.waitForRequests(1) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let stopped = Task { [server] in try await server.waitForRequests(1) }
    server.stop()
    await #expect(throws: MockServerError.self) { try await stopped.value }
  }

  @Test("accepts a thousand connections and detects that each of them closes")
  func thousand() async throws {
    server.on("GET", "/stall") { _ in .stall }
    client.limits = .unlimited
    let waiting = Task { [client, server] in
      await withTaskGroup { group in
        for _ in 0..<1000 {
          group.addTask { _ = try? await client.send(.get(server.url("/stall")).timeout(.seconds(60))) }
        }
      }
    }
    try await server.waitForRequests(1000)
    #expect(server.openConnections == 1000)
    waiting.cancel()
    try await server.waitForOpenConnections(0)
    #expect(server.requests.allSatisfy { $0.wasAbandoned })
    await waiting.value
  }

  @Test("closes everything when it is released")
  func closesAtEnd() async throws {
    var held: MockServer? = try MockServer()
    held?.on("GET", "/stall") { _ in .stall }
    let url = try #require(held?.url("/stall"))
    let waiting = Task { [client] in try await client.send(.get(url)) }
    try await held?.waitForRequests(1)
    held = nil
    await #expect(throws: RequestError.self) { try await waiting.value }
    do {
      _ = try await client.send(.get(url))
      Issue.record("the port still accepts connections")
    } catch let error as RequestError {
      #expect(error.code == .cannotConnect)
    }
  }

  @Test("serves a file's ranges as RFC 9110 says")
  func ranges() async throws {
    let data = Data("0123456789".utf8)
    server.on("/file") { .file(data, etag: "\"v1\"", for: $0) }
    func get(_ fields: HTTPFields) async throws -> (Int, String, String?) {
      let response = try await client.send(
        Request(.get, server.url("/file"), fields: fields).acceptingAnyStatus())
      return (response.status.code, response.text, response.fields["Content-Range"])
    }
    func check(_ fields: HTTPFields, _ expected: (Int, String, String?)) async throws {
      let found = try await get(fields)
      #expect(found == expected)
    }
    try await check([:], (200, "0123456789", nil))
    try await check(["Range": "bytes=4-"], (206, "456789", "bytes 4-9/10"))
    try await check(["Range": "bytes=2-3"], (206, "23", "bytes 2-3/10"))
    try await check(["Range": "bytes=-3"], (206, "789", "bytes 7-9/10"))
    try await check(["Range": "bytes=10-"], (416, "", "bytes */10"))
    try await check(["Range": "bytes=4-", "If-Range": "\"v1\""], (206, "456789", "bytes 4-9/10"))
    try await check(["Range": "bytes=4-", "If-Range": "\"v2\""], (200, "0123456789", nil))
  }
}
