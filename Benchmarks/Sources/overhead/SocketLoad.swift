#if !BASELINE
  import ErrandCore
  import ErrandCurl

  /// A plain GET over a socket, with reused connections.
  struct SocketLoad: Load {
    private let client = Client(transport: CurlTransport())
    private let request: Request
    let tasks: Int

    init(port: Int, tasks: Int) {
      request = Request.get("http://127.0.0.1:\(port)/small")
      self.tasks = tasks
      client.limits = .unlimited
    }

    func send() async throws -> Response { try await client.send(request) }
  }
#endif
