import ErrandCore
import ErrandCurl
import Foundation
import Testing

@testable import ErrandConformance
@testable import ErrandTesting

/// A request that ended before its first byte was sent has not reached the server, whatever ended it.
@Suite(.timeLimit(.minutes(1))) struct UnsentFailuresTests {
  private let server: MockServer

  init() throws {
    server = try MockServer()
    server.otherwise { _ in .stall }
  }

  private func client(_ transport: any Transport = CurlTransport()) -> Client {
    var configuration = ClientConfiguration()
    configuration.retry = .never
    return Client(transport: transport, configuration: configuration)
  }

  private func reached(_ request: Request, _ client: Client) async -> Bool? {
    await #expect(throws: RequestError.self) { try await client.send(request) }?.reachedServer
  }

  @Test func `a request that waits for a slot at its deadline, or when it is cancelled, was not sent`()
    async throws
  {
    let client = client()
    client.limits.perOrigin = 1
    let first = client.start(.get(server.url("/")))
    try await server.waitForRequests(1)
    #expect(await reached(.get(server.url("/")).deadline(.milliseconds(50)), client) == false)
    let waiting = client.start(.get(server.url("/")))
    waiting.cancel()
    #expect(await waiting.error?.reachedServer == false)
    first.cancel()
    #expect(await first.error?.reachedServer == true)
  }

  @Test func `a request that was sent may have reached the server at its deadline`() async throws {
    #expect(await reached(.get(server.url("/")).deadline(.milliseconds(100)), client()) == true)
  }

  #if os(Linux)
    @Test func `a request that is connecting at its deadline was not sent`() async throws {
      let hole = try #require(try BlackHole.silent())
      let url = "http://127.0.0.1:\(hole.port)/"
      #expect(await reached(.get(url).deadline(.milliseconds(100)), client()) == false)
      #expect(await reached(.get(url).timeout(.milliseconds(100)), client()) == false)
    }
  #endif

  @Test func `a transport that does not report when a request is sent may have sent it`() async throws {
    let client = client(StubTransport { _ in .stall })
    #expect(await reached(.get(server.url("/")).deadline(.milliseconds(50)), client) == true)
  }
}
