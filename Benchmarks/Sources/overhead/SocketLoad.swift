#if !BASELINE
  import ErrandCore
  import ErrandCurl

  /// A plain GET over a socket, on a kept connection.
  struct SocketLoad: Load {
    private let client = Client(transport: CurlTransport())
    private let request: Request
    let tasks = 1

    init(port: Int) { request = Request.get("http://127.0.0.1:\(port)/small") }

    func send() async throws -> Response { try await client.send(request) }
  }
#endif
