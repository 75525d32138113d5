import Errand
import ErrandTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct RecipeTests {
  private let server: MockServer
  private let tokens: TokenStore
  private let client: Client

  init() throws {
    server = try MockServer()
    let refresh = Request.post(server.url("/token"), .form(["grant_type": "refresh_token"]))
    tokens = TokenStore(Client(), refreshing: refresh)
    var configuration = ClientConfiguration()
    configuration.attemptInterceptors = [Authorize(tokens: tokens)]
    configuration.limits = ConcurrencyLimits(total: 64, perOrigin: 64)
    client = Client(configuration: configuration)
    server.script(
      "/token",
      (0..<2).map { .response(body: #"{"accessToken":"token \#($0)"}"#).pausing(.milliseconds(50)) })
  }

  @Test func `the recipe for tokens refreshes once, however many requests find the token stale`() async throws
  {
    server.on("GET", "/") { request in
      request.fields["Authorization"] == "Bearer token 1" ? .response(body: "ok") : .response(status: 401)
    }
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await client.send(.get(server.url("/"))).text } }
      for try await text in group { #expect(text == "ok") }
    }
    // One for the first token, and one when all of them had been refused.
    #expect(server.count("/token") == 2)
  }

  @Test func `the recipe for tokens loses no refresh when the request that began it is cancelled`()
    async throws
  {
    server.on("GET", "/") { _ in .response(body: "ok") }
    let first = Task { try await client.send(.get(server.url("/"))) }
    try await server.wait(for: "the refresh") { $0.requests.contains { $0.path == "/token" } }
    first.cancel()
    await #expect { try await first.value } throws: { $0.isCancellation }
    #expect(try await client.send(.get(server.url("/"))).text == "ok")
    #expect(server.count("/token") == 1)
    #expect(try await tokens.token() == "token 0")
  }

  @Test func `the recipe for tokens asks again after a refresh that failed`() async throws {
    server.script("/token", [.response(status: 400), .response(body: #"{"accessToken":"new"}"#)])
    await #expect(throws: RequestError.self) { try await tokens.token() }
    #expect(try await tokens.token() == "new")
  }

  @Test func `the recipe for a log writes a line for each call, without secrets`() async throws {
    server.on("GET", "/ok") { _ in .response() }
    server.on("GET", "/no") { _ in .response(status: 404) }
    let (lines, log) = AsyncStream<String>.makeStream()
    var configuration = ClientConfiguration()
    configuration.interceptors = [RequestLog { log.yield($0) }]
    let client = Client(configuration: configuration)
    try await client.send(.get(server.url("/ok?token=hush")))
    _ = try? await client.send(.get(server.url("/no?token=hush")))
    let cancelled = Task { try await client.send(.get(server.url("/ok"))) }
    cancelled.cancel()
    _ = await cancelled.result
    log.finish()
    var written: [String] = []
    for await line in lines { written.append(line) }
    #expect(written.count >= 2 && written[0].contains("/ok?token=***: 200") && written[1].contains("404"))
    #expect(!written.joined().contains("hush"))
  }
}
