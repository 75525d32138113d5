import ErrandAuthentication
import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Programs
import Testing

@Suite(.timeLimit(.minutes(1))) struct CachingOnSocketsTests {
  /// A calendar that the test advances.
  private final class Calendar: Sendable {
    private let date = Locked(Date(timeIntervalSince1970: 1_000_000))
    var now: Date { date.withLock { $0 } }
    func advance(by seconds: Double) { date.withLock { $0 += seconds } }
  }

  private let server: MockServer
  private let client: Client
  private let calendar = Calendar()

  init() throws {
    server = try MockServer(port: FreePort.take())
    server.on("/feed") { .response(body: "feed \($0.index + 1)") }
    var configuration = ClientConfiguration()
    configuration.retry = .never
    configuration.date = { [calendar] in calendar.now }
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private func feed(_ policy: CachePolicy) -> Request {
    Request.get(server.url("/feed")).cached(as: "feed", policy)
  }

  /// Returns the text of a response, marked if it was cached.
  private func seen(_ response: Response) -> String {
    response.text + (response.cachedAt == nil ? "" : " (kept)")
  }

  private func send(_ policy: CachePolicy) async throws -> String {
    seen(try await client.send(feed(policy)))
  }

  @Test func `networkOnly always sends, and caches the response for other policies`() async throws {
    #expect(try await send(.networkOnly) == "feed 1")
    #expect(try await send(.networkOnly) == "feed 2")
    #expect(try await send(.first) == "feed 2 (kept)")
    #expect(server.requests.count == 2)
  }

  @Test func `first sends once, and again after the cached response was removed`() async throws {
    #expect(try await send(.first) == "feed 1")
    for _ in 0..<3 { #expect(try await send(.first) == "feed 1 (kept)") }
    try await client.removeCachedResponse(to: feed(.first))
    #expect(try await send(.first) == "feed 2")
    #expect(server.requests.count == 2)
  }

  @Test func `staleWhileRevalidate delivers the cached response, then the new one`() async throws {
    var responses: [String] = []
    for try await response in client.responses(to: feed(.staleWhileRevalidate)) {
      responses.append(seen(response))
    }
    #expect(responses == ["feed 1"])
    for try await response in client.responses(to: feed(.staleWhileRevalidate)) {
      responses.append(seen(response))
    }
    #expect(responses == ["feed 1", "feed 1 (kept)", "feed 2"])
    #expect(server.requests.count == 2)
  }

  @Test func `a cached response is delivered first, and leaving the loop cancels the silent request`()
    async throws
  {
    _ = try await send(.first)
    server.on("/feed") { _ in .stall }
    for try await response in client.responses(to: feed(.staleWhileRevalidate)) {
      #expect(seen(response) == "feed 1 (kept)")
      try await server.waitForRequests(2)
      break
    }
    try await server.waitForOpenConnections(0)
  }

  @Test func `staleWhileRevalidate delivers a failure after the cached response`() async throws {
    _ = try await send(.first)
    server.on("/feed") { _ in .response(status: 500) }
    var responses: [String] = []
    let error = await #expect(throws: RequestError.self) {
      for try await response in client.responses(to: feed(.staleWhileRevalidate)) {
        responses.append(seen(response))
      }
    }
    #expect(responses == ["feed 1 (kept)"])
    #expect(error?.status == 500)
  }

  @Test func `staleWhileRevalidate gives one call the cached response, and the next the new one`()
    async throws
  {
    _ = try await send(.first)
    #expect(try await send(.staleWhileRevalidate) == "feed 1 (kept)")
    try await server.waitForRequests(2)
    while try await send(.first) != "feed 2 (kept)" { try Task.checkCancellation() }
    #expect(server.requests.count == 2)
  }

  @Test
  func `staleIfError delivers the cached response if the server fails or is unreachable, and not on a 404`()
    async throws
  {
    #expect(try await send(.staleIfError) == "feed 1")
    for trouble in [MockResponse.response(status: 503), .reset, .close] {
      server.on("/feed") { _ in trouble }
      #expect(try await send(.staleIfError) == "feed 1 (kept)")
    }
    server.on("/feed") { _ in .response(status: 404) }
    let error = await #expect(throws: RequestError.self) { try await send(.staleIfError) }
    #expect(error?.status == 404)
    server.stop()
    #expect(try await send(.staleIfError) == "feed 1 (kept)")
  }

  @Test func `maxAge delivers a younger cached response, and sends again if the response is older`()
    async throws
  {
    let policy = CachePolicy.maxAge(.seconds(60))
    #expect(try await send(policy) == "feed 1")
    calendar.advance(by: 59)
    #expect(try await send(policy) == "feed 1 (kept)")
    calendar.advance(by: 1)
    #expect(try await send(policy) == "feed 2")
    #expect(server.requests.count == 2)
  }

  @Test func `two users never get each other's cached response`() async throws {
    server.on("/me") { .response(body: $0.fields["Authorization"] ?? "nobody") }
    let me = Request.get(server.url("/me")).cached(as: "me")
    for _ in 0..<2 {
      #expect(try await client.send(me.bearer("a")).text == "Bearer a")
      #expect(try await client.send(me.bearer("b")).text == "Bearer b")
      #expect(try await client.send(me).text == "nobody")
    }
    #expect(server.requests.count == 3)
    server.stop()
    await #expect(throws: RequestError.self) {
      try await client.send(me.bearer("c").cached(as: "me", .staleIfError))
    }
  }
}
