import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct PrioritiesOnSocketsTests {
  private let server: MockServer
  private let client = Client(transport: CurlTransport())

  init() throws {
    server = try MockServer()
    server.otherwise { _ in .response() }
    server.on("/stall") { _ in .stall }
  }

  /// Queues the requests in this order behind one that has the only slot, then releases the slot. Returns
  /// their paths in the order of arrival.
  private func order(
    of waiting: [(path: String, priority: Priority)], then change: ([Call]) -> Void = { _ in }
  ) async throws -> [String] {
    client.limits.total = 1
    // It must not end by itself while the others are queued, however long that takes.
    let holder = client.start(.get(server.url("/stall")).timeout(.seconds(300)))
    try await server.waitForRequests(1)
    var calls: [Call] = []
    for (path, priority) in waiting {
      calls.append(client.start(.get(server.url(path)).priority(priority)))
      try await reach { client.pipeline.slots.load.waiting == calls.count }
    }
    change(calls)
    holder.cancel()
    for call in calls { _ = try await call.value }
    return server.requests.dropFirst().map(\.path)
  }

  @Test func `requests of one priority are sent first in, first out`() async throws {
    let paths = (0..<20).map { "/\($0)" }
    #expect(try await order(of: paths.map { ($0, .default) }) == paths)
  }

  @Test func `requests of a higher priority are sent first`() async throws {
    let order = try await order(of: [
      ("/b1", .background), ("/u1", .utility), ("/d1", .default), ("/v1", .userInitiated),
      ("/b2", .background), ("/u2", .utility), ("/d2", .default), ("/v2", .userInitiated),
    ])
    #expect(order == ["/v1", "/v2", "/d1", "/d2", "/u1", "/u2", "/b1", "/b2"])
  }

  @Test func `a waiting request whose priority is raised overtakes the requests before it`() async throws {
    let order = try await order(of: [("/1", .utility), ("/2", .utility), ("/3", .utility)]) { calls in
      calls[2].raisePriority(to: .userInitiated)
    }
    #expect(order == ["/3", "/1", "/2"])
  }

  @Test func `a user-initiated request never waits behind a flood in the background`() async throws {
    let bodies = (0..<20).map { _ in AsyncStream.makeStream(of: Data.self) }
    let flood = bodies.map { body in
      client.start(.post(server.url("/flood"), .stream(body.stream)).inBackground())
    }
    try await server.waitForRequests(2)
    try await reach { client.pipeline.slots.load.waiting == 18 }
    // The flood's requests in transfer do not end before all of these have their responses.
    let visible = (0..<6).map { _ in client.start(.get(server.url("/seen")).priority(.userInitiated)) }
    for call in visible { _ = try await call.value }
    for body in bodies { body.continuation.finish() }
    for call in flood { _ = try await call.value }
    let paths = server.requests.map(\.path)
    #expect(paths.prefix(2) == ["/flood", "/flood"])
    #expect(paths.dropFirst(2).prefix(6).allSatisfy { $0 == "/seen" })
    #expect(paths.count == 26)
  }
}
