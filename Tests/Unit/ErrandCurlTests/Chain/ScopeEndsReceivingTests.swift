import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct ScopeEndsReceivingTests {
  private let server: MockServer
  private let client: Client
  private let scope = RequestScope("page")

  init() throws {
    server = try MockServer()
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .zero
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  @Test(arguments: [MockResponse.Point.start, .head(20), .headEnd, .body(50_000)])
  func `a request that waits for its response, or for the rest of it, closes its socket`(
    point: MockResponse.Point
  ) async throws {
    server.on("/") { _ in .response(body: Data(count: 100_000)).stalling(at: point) }
    let call = client.start(.get(server.url("/")), in: scope)
    try await server.wait(for: "the response up to \(point)") { record in
      record.requests.count == 1
        && record.connections[0].bytesSent >= (point == .start ? 0 : point == .body(50_000) ? 50_000 : 20)
    }
    scope.end()
    #expect(await call.error?.cancellation == .scopeEnded("page"))
    try await server.waitUntilClosed(connection: 1)
    #expect(server.requests[0].wasAbandoned)
    #expect(scope.count == 0)
  }

  @Test func `a cancelled retry reports how many attempts had ended`() async throws {
    server.script("/", [.response(status: 503), .stall])
    let call = client.start(.get(server.url("/")), in: scope)
    try await server.waitForRequests(2)
    scope.end()
    let error = await call.error
    #expect(error?.cancellation == .scopeEnded("page"))
    #expect(error?.attempt == 1)
  }

  @Test func `a response that is arriving is not read any further`() async throws {
    let length = 40_000_000
    server.on("/") { _ in .response(body: Data(count: length)).dripping(4000, every: .milliseconds(1)) }
    let call = client.start(.get(server.url("/")), in: scope)
    for await progress in call.progress where progress.received > 0 { break }
    scope.end()
    #expect(await call.error?.cancellation == .scopeEnded("page"))
    try await server.waitUntilClosed(connection: 1)
    #expect(server.connections[0].bytesSent < length)
    #expect(server.requests[0].wasAbandoned)
  }

  @Test func `a stream that is being read ends with the reason, and closes its socket`() async throws {
    server.on("/") { _ in .response(body: Data(count: 1000)).stalling(at: .body(10)) }
    let (pieces, piece) = AsyncStream.makeStream(of: Int.self)
    let reading = Task { [client, server, scope] in
      for try await chunk in try await client.stream(.get(server.url("/")), in: scope).chunks {
        piece.yield(chunk.count)
      }
    }
    for await count in pieces {
      #expect(count == 10)
      break
    }
    #expect(scope.count == 1)
    scope.end()
    let error = await #expect(throws: RequestError.self) { try await reading.value }
    #expect(error?.cancellation == .scopeEnded("page"))
    try await server.waitUntilClosed(connection: 1)
    #expect(scope.count == 0)
  }

  @Test func `an unread stream remains in its scope until that ends, and the rest is not read`()
    async throws
  {
    let length = 50_000_000
    server.on("/") { _ in .response(body: Data(count: length)) }
    let response = try await client.stream(.get(server.url("/")), in: scope)
    #expect(scope.count == 1)
    scope.end()
    try await server.waitUntilClosed(connection: 1)
    #expect(server.connections[0].bytesSent < length)
    let error = await #expect(throws: RequestError.self) { for try await _ in response.chunks {} }
    #expect(error?.cancellation == .scopeEnded("page"))
    #expect(scope.count == 0)
  }

  @Test func `a stream that was read to its end has left its scope`() async throws {
    server.on("/") { _ in .response(body: Data(count: 1000)) }
    let response = try await client.stream(.get(server.url("/")), in: scope)
    for try await _ in response.chunks {}
    try await reach { scope.count == 0 }
    scope.end()
    #expect(server.openConnections == 1)
  }
}
