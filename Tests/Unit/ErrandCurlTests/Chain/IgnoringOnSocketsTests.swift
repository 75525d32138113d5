import ErrandAuthentication
import ErrandCore
import ErrandCurl
import ErrandTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct IgnoringOnSocketsTests {
  private let server: MockServer
  private let clock = VirtualClock()
  private let client: Client

  init() throws {
    server = try MockServer()
    server.otherwise { .response(body: $0.text) }
    var configuration = ClientConfiguration()
    configuration.clock = clock
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private func isIgnored(_ request: Request) async throws -> Bool {
    do {
      try await client.send(request)
      return false
    } catch let error as RequestError where error.code == .ignoredRepeat {
      #expect(!error.reachedServer)
      return true
    }
  }

  @Test func `one of twenty concurrent requests is sent, and nineteen fail at once`() async throws {
    let like = Request.post(server.url("/like"), .text("7")).ignoringRepeats()
    let ignored = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 { group.addTask { try await isIgnored(like) } }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(ignored == 19)
    #expect(server.requests.map(\.text) == ["7"])
  }

  @Test func `a window ends 3 s after the request that was sent, whatever it ignored, and another begins`()
    async throws
  {
    let like = Request.post(server.url("/like")).ignoringRepeats()
    var ignored: [Bool] = []
    for _ in 0..<7 {
      ignored.append(try await isIgnored(like))
      await clock.advance(by: .seconds(1))
    }
    #expect(ignored == [false, true, true, false, true, true, false])
    #expect(server.requests.count == 3)
  }

  @Test func `requests match by method, URL with query in any order, body and credentials`() async throws {
    func request(_ path: String, _ body: String = "") -> Request {
      .put(server.url(path), .text(body)).ignoringRepeats()
    }
    let base = request("/a?x=1&y=2")
    #expect(try await !isIgnored(base))
    #expect(try await isIgnored(request("/a?y=2&x=1")))
    var another = base
    another.method = .delete
    for other in [
      another, request("/a?x=1&y=3"), request("/b?x=1&y=2"), request("/a?x=1&y=2", "body"),
      base.bearer("someone"),
    ] {
      #expect(try await !isIgnored(other))
      #expect(try await isIgnored(other))
    }
    #expect(server.requests.count == 6)
  }

  @Test func `a custom key overrides the default one, and named header fields add to it`() async throws {
    func page(_ number: Int) -> Request { .get(server.url("/page/\(number)")) }
    #expect(try await !isIgnored(page(1).ignoringRepeats(key: "page")))
    #expect(try await isIgnored(page(2).ignoringRepeats(key: "page")))
    for language in ["de", "fr"] {
      let request = page(3).field("Accept-Language", language).ignoringRepeats(fields: ["Accept-Language"])
      #expect(try await !isIgnored(request))
      #expect(try await isIgnored(request))
    }
    #expect(server.requests.count == 3)
  }
}
