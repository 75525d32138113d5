import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

/// A request that is not sent yet when its scope ends is never sent.
@Suite(.timeLimit(.minutes(1))) struct ScopeEndsWaitingTests {
  private let server: MockServer
  private let scope = RequestScope("page")

  init() throws {
    server = try MockServer()
    server.otherwise { _ in .response(body: "here") }
    server.on("/stall") { _ in .stall }
    server.on("/busy") { _ in .response(status: 503) }
  }

  /// Sends a last request of the lowest priority, and returns the paths of all requests that arrived.
  private func pathsAtLast(_ client: Client) async throws -> [String] {
    try await client.send(.get(server.url("/last")).priority(.background))
    return server.requests.map(\.path)
  }

  @Test func `a request that waits for a slot leaves the queue, and the queue continues`() async throws {
    let client = Client(transport: CurlTransport())
    client.limits.total = 1
    let holder = client.start(.get(server.url("/stall")))
    try await server.waitForRequests(1)
    let inScope = (0..<3).map { _ in client.start(.get(server.url("/waiting")), in: scope) }
    let other = client.start(.get(server.url("/other")))
    try await reach { client.pipeline.slots.load.waiting == 4 }
    scope.end()
    for call in inScope {
      let error = await call.error
      #expect(error?.cancellation == .scopeEnded("page"))
      #expect(error?.attempt == 0)
    }
    #expect(client.pipeline.slots.load.waiting == 1)
    holder.cancel()
    _ = try await other.value
    #expect(try await pathsAtLast(client) == ["/stall", "/other", "/last"])
  }

  @Test func `a request that waits for its next attempt is not retried`() async throws {
    let clock = VirtualClock()
    var configuration = ClientConfiguration()
    configuration.clock = clock
    let client = Client(transport: CurlTransport(), configuration: configuration)
    let call = client.start(.get(server.url("/busy")), in: scope)
    try await clock.waitForSleepers()
    #expect(client.pipeline.slots.load.running == 0)
    scope.end()
    let error = await call.error
    #expect(error?.cancellation == .scopeEnded("page"))
    #expect(error?.attempt == 1)
    try await reach { clock.sleepers == 0 }
    await clock.advance(by: .seconds(3600))
    #expect(try await pathsAtLast(client) == ["/busy", "/last"])
  }

  @Test func `a request that waits for others is not sent, and the others continue`() async throws {
    let client = Client(transport: CurlTransport())
    let first = client.start(.get(server.url("/stall")))
    try await server.waitForRequests(1)
    let dependent = client.start(
      .get(server.url("/after")).priority(.userInitiated).after(first), in: scope)
    // The dependent call raises the priority of the call that it waits for.
    try await reach { first.priority == .userInitiated }
    scope.end()
    #expect(await dependent.error?.cancellation == .scopeEnded("page"))
    #expect(first.outcome == nil)
    #expect(server.openConnections == 1)
    first.cancel()
    _ = await first.result
    #expect(try await pathsAtLast(client) == ["/stall", "/last"])
  }

  @Test func `a request in an ended scope is not sent`() async throws {
    let client = Client(transport: CurlTransport())
    scope.end()
    let error = await #expect(throws: RequestError.self) {
      try await client.send(.get(server.url("/late")), in: scope)
    }
    #expect(error?.cancellation == .scopeEnded("page"))
    #expect(try await pathsAtLast(client) == ["/last"])
  }

  @Test func `ten requests in every state end with a page, and those of the page below continue`()
    async throws
  {
    let client = Client(transport: CurlTransport())
    client.limits = ConcurrencyLimits(total: 5, perOrigin: 5)
    let stack = ScopeStack("app")
    let (list, page) = (stack.push("list"), stack.push("page"))
    let (body, writer) = AsyncStream.makeStream(of: Data.self)
    let below = client.start(.post(server.url("/below"), .stream(body)), in: list)
    let stalled = (0..<4).map { _ in client.start(.get(server.url("/stall")), in: page) }
    try await server.waitForRequests(5)
    let waiting = (0..<6).map { _ in client.start(.get(server.url("/waiting")), in: page) }
    try await reach { client.pipeline.slots.load.waiting == 6 }
    #expect(page.count == 10)
    stack.pop()
    for call in stalled + waiting { #expect(await call.error?.cancellation == .scopeEnded("page")) }
    try await server.waitForOpenConnections(1)
    #expect(page.count == 0)
    writer.finish()
    #expect(try await below.value.text == "here")
    #expect(try await !pathsAtLast(client).contains("/waiting"))
  }
}
