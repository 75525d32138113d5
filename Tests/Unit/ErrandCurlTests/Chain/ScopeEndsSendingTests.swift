import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ScopeEndsSendingTests {
  private let server: MockServer
  private let client = Client(transport: CurlTransport())
  private let scope = RequestScope("page")

  init() throws { server = try MockServer() }

  @Test func `a request that sends a stream closes its socket, and the rest is not sent`() async throws {
    server.otherwise { _ in .response() }
    let (chunks, source) = AsyncStream.makeStream(of: Data.self)
    let call = client.start(.post(server.url("/"), .stream(chunks)), in: scope)
    source.yield(Data("first".utf8))
    try await server.wait(for: "the first piece") { $0.requests.first?.bodyBytes == 5 }
    scope.end()
    #expect(await call.error?.cancellation == .scopeEnded("page"))
    source.yield(Data("second".utf8))
    source.finish()
    try await server.waitUntilClosed(connection: 1)
    #expect(server.requests.first?.text == "first")
    #expect(server.requests.first?.isComplete == false)
  }

  @Test func `a request that sends a file to a server that does not read closes its socket`() async throws {
    server.on("PUT", "/", at: .head) { _ in MockResponse.stall.withoutReading() }
    let folder = try TemporaryFolder()
    let length = 30_000_000
    let file = try folder.zeros("film", length)
    let call = client.start(.put(server.url("/"), .file(file)), in: scope)
    try await server.waitForRequests(1)
    // The buffers accept this much; after that the upload is stuck.
    for await progress in call.progress where progress.sent > 0 { break }
    scope.end()
    let error = await call.error
    #expect(error?.cancellation == .scopeEnded("page"))
    #if os(Linux)
      try await reach { try SocketTable.locals(to: server.port, .established).isEmpty }
    #endif
    #expect(server.requests.first?.isComplete == false)
  }
}
