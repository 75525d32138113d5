import Errand
import ErrandTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct RecipeTests {
  private let server: MockServer

  init() throws { server = try MockServer() }

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
