import ErrandCore
import ErrandCurl
import ErrandTesting
import Testing

/// Rate limits, and servers that ask for fewer requests. The clock is the system's: what is measured is only that no
/// request comes too early.
@Suite(.timeLimit(.minutes(1))) struct RateLimitsOnSocketsTests {
  private let server: MockServer
  private let clock = ContinuousClock()

  init() throws { server = try MockServer() }

  private func client(_ limits: RateLimits) -> Client {
    var configuration = ClientConfiguration()
    configuration.rateLimits = limits
    configuration.retry.backoff = .zero
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  @Test func `requests over the limit arrive later`() async throws {
    server.on("/") { _ in .response(body: "ok") }
    let client = client(RateLimits(perOrigin: RateLimit(requests: 20, per: .seconds(1), burst: 2)))
    let began = clock.now
    let calls = (0..<6).map { _ in client.start(.get(server.url("/"))) }
    for call in calls { #expect(try await call.value.status == 200) }
    // Two at once, and four at intervals of 50 ms.
    #expect(clock.now - began >= .milliseconds(200))
    #expect(server.count("/") == 6)
  }

  @Test func `a retry takes a token, and a key has its own bucket`() async throws {
    server.script("GET", "/busy", [.response(status: 503), .response(body: "ok")])
    server.on("/other") { _ in .response() }
    let client = client(RateLimits())
    let limit = RateLimit(requests: 1, per: .milliseconds(200))
    let began = clock.now
    let busy = client.start(.get(server.url("/busy")).rateLimited(by: "a", limit))
    try await client.send(.get(server.url("/other")).rateLimited(by: "b", limit))
    try await client.send(.get(server.url("/other")))
    #expect(try await busy.value.timing.attempts == 2)
    #expect(clock.now - began >= .milliseconds(200))
  }

  @Test func `a server that has no quota left gets no request until its reset`() async throws {
    server.on("/last") { _ in .response(fields: ["RateLimit": "\"default\";r=0;t=1"]) }
    server.on("/next") { _ in .response() }
    let other = try MockServer()
    other.on("/") { _ in .response() }
    let client = client(RateLimits(followsServer: true))
    try await client.send(.get(server.url("/last")))
    let began = clock.now
    let next = client.start(.get(server.url("/next")))
    try await client.send(.get(other.url("/")))
    #expect(server.count("/next") == 0)
    _ = try await next.value
    #expect(clock.now - began >= .milliseconds(900))
    other.stop()
  }
}
