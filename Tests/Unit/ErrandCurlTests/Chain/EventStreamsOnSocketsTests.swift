import ErrandCore
import ErrandCurl
import ErrandStreaming
import ErrandTesting
import Foundation
import Testing

/// Event streams over real connections, some behind a stock nginx.
@Suite(.timeLimit(.minutes(1))) struct EventStreamsOnSocketsTests {
  private let server: MockServer

  init() throws { server = try MockServer() }

  private static let fields: HTTPFields = ["Content-Type": "text/event-stream"]

  /// Serves 12 events, at most `batch` in one response, with its end or fault.
  private func serve(_ batch: Int = 4, _ response: @escaping @Sendable (String) -> MockResponse) {
    server.on("GET", "/news") { request in
      let last = Int(request.fields["Last-Event-ID"] ?? "0") ?? 0
      if last >= 12 { return .response(status: 204) }
      let events = (last + 1...min(last + batch, 12)).map { "id: \($0)\ndata: news \($0)\n\n" }
      return response("retry: 10\n\n" + events.joined())
    }
  }

  /// Returns a response that does not end after this text.
  private static func open(_ text: String) -> MockResponse {
    .response(fields: fields, body: text).announcing(length: 1_000_000).stalling(at: .body(text.utf8.count))
  }

  private static let all = (1...12).map { "news \($0)" }

  private func read(_ url: some URLConvertible, over transport: CurlTransport = CurlTransport()) async throws
    -> [String]
  {
    let client = Client(transport: transport)
    var found: [String] = []
    for try await event in client.events(.get(url)) { found.append(event.data) }
    await client.shutdown()
    return found
  }

  @Test func `a stream goes on over broken connections, and no event is lost or doubled`() async throws {
    serve { .chunked(fields: Self.fields, $0) }
    #expect(try await read(server.url("/news")) == Self.all)
    let faults: [@Sendable (String) -> MockResponse] = [
      { .response(fields: Self.fields, body: $0).announcing(length: 100_000).closing(at: .end) },
      { .chunked(fields: Self.fields, $0, "id: 99\ndata: lo").resetting(at: .end) },
      { .response(fields: Self.fields, body: $0).dripping(3, every: .milliseconds(1)) },
    ]
    for fault in faults {
      serve(3, fault)
      #expect(try await read(server.url("/news")) == Self.all)
    }
  }

  /// nginx buffers responses, and cuts those that are silent for `proxy_read_timeout`. It speaks HTTP/2 where libcurl
  /// allows it.
  @Test(arguments: ["", "proxy_buffering off;"])
  func `a stream goes on behind a stock nginx`(settings: String) async throws {
    let nginx = try await StockNginx(before: server.port, settings + " proxy_read_timeout 1s;")
    var configuration = CurlConfiguration()
    configuration.certificateAuthorityFile = nginx.authority
    let transport = CurlTransport(configuration: configuration)
    serve(3) { .chunked(fields: Self.fields, $0) }
    #expect(try await read(nginx.url("/news"), over: transport) == Self.all)
    // With buffering, nginx holds the events of a response back that is silent before its end.
    guard !settings.isEmpty else { return }
    let second = CurlTransport(configuration: configuration)
    serve(6) { Self.open($0 + ":\n\n") }
    #expect(try await read(nginx.url("/news"), over: second) == Self.all)
  }

  /// Serves 12 events, four in one response.
  private static let uvicorn = """
    import socket, uvicorn
    async def app(scope, receive, send):
        last = int(dict(scope["headers"]).get(b"last-event-id", b"0"))
        if last >= 12:
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})
            return
        fields = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": fields})
        for number in range(last + 1, min(last + 4, 12) + 1):
            event = f"retry: 10\\nid: {number}\\ndata: news {number}\\n\\n"
            await send({"type": "http.response.body", "body": event.encode(), "more_body": True})
        await send({"type": "http.response.body"})
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off")).run(sockets=[listener])
    """

  @Test(
    .enabled("SKIPPED: uvicorn is not installed; see scripts/peers") { await PythonServer.has("uvicorn") })
  func `a stream of uvicorn goes on over its connections`() async throws {
    let server = try await PythonServer(Self.uvicorn)
    #expect(try await read(server.url) == Self.all)
  }

  @Test func `a silent connection is replaced after the heartbeat`() async throws {
    serve(6) { Self.open($0 + ":\n\n") }
    var options = EventStreamOptions()
    options.heartbeat = .milliseconds(300)
    var found: [String] = []
    for try await event in Client(transport: CurlTransport()).events(
      .get(server.url("/news")), options: options)
    {
      found.append(event.data)
    }
    #expect(found == Self.all)
  }

  @Test func `a cancelled stream closes its connection`() async throws {
    server.on("GET", "/news") { _ in Self.open("data: a\n\ndata: b\n\n") }
    let events = Client(transport: CurlTransport()).events(.get(server.url("/news")))
    let task = Task { for try await _ in events {} }
    try await server.waitForRequests(1)
    task.cancel()
    await #expect(throws: RequestError.self) { try await task.value }
    try await server.waitForOpenConnections(0)
  }
}
