import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandCurl

/// Transports with several threads.
@Suite(.timeLimit(.minutes(1))) struct ThreadsTests {
  private let server: MockServer

  init() throws {
    server = try MockServer()
    server.on("/") { _ in .response(body: "ok") }
    server.on("/slow") { _ in .response(body: "slow").pausing(.milliseconds(300)) }
  }

  private func client(_ threads: Int, _ change: (inout CurlConfiguration) -> Void = { _ in }) -> Client {
    var configuration = CurlConfiguration()
    configuration.threads = threads
    change(&configuration)
    let client = Client(transport: CurlTransport(configuration: configuration))
    client.limits = .unlimited
    return client
  }

  private func send(_ count: Int, _ path: String, over client: Client) async throws {
    try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        group.addTask { _ = try await client.send(.get(server.url(path)).timeout(.seconds(20))) }
      }
      try await group.waitForAll()
    }
  }

  @Test func `sequential requests use one connection, whatever the number of threads`() async throws {
    let client = client(4)
    // More requests than a thread gets before the next one gets some.
    for _ in 0..<CurlSpread.share * 3 { try await send(1, "/", over: client) }
    #expect(server.connections.count == 1)
    await client.shutdown()
  }

  @Test func `many concurrent requests all end, and so do the threads`() async throws {
    let client = client(4)
    try await send(200, "/slow", over: client)
    await client.shutdown()
    await #expect(throws: RequestError.self) { try await client.send(.get(server.url("/"))) }
  }

  @Test func `a limit of connections is obeyed, and fully used`() async throws {
    server.on("/held") { _ in .stall }
    let client = client(4) { $0.maxConnectionsPerHost = 3 }
    let held = (0..<6).map { _ in client.start(.get(server.url("/held"))) }
    try await server.waitForRequests(3)
    #expect(server.connections.count == 3)
    #expect(held.allSatisfy { $0.outcome == nil })
    for call in held { call.cancel() }
    await client.shutdown()
  }

  private func spread(
    _ threads: Int, connectionsPerHost: Int = 0, idle: Int = 256, keepsCookies: Bool = false
  ) -> CurlSpread {
    CurlSpread(
      threads: threads, connectionsPerHost: connectionsPerHost, idleConnections: idle,
      keepsCookies: keepsCookies)
  }

  @Test func `a configuration that needs one thread gets one, and the number of threads is limited`() {
    #expect(spread(8, keepsCookies: true).threads == 1)
    #expect(spread(8, connectionsPerHost: 4).threads == 1)
    #expect(spread(.max).threads == CurlSpread.mostThreads)
    #expect(spread(.min).threads == 1)
  }

  @Test func `idle connections are shared among threads, but a thread keeps the connections that it uses`() {
    #expect(spread(4).idleConnections == 64)
    #expect(spread(64).idleConnections == CurlSpread.share)
    #expect(spread(4, idle: 8).idleConnections == 8)
    #expect(spread(4, idle: 0).idleConnections == 0)
  }

  @Test func `a busy thread passes new requests to the least busy of the others`() {
    let spread = spread(3)
    for (loads, choice) in [
      ([0, 0, 0], 1), ([0, 31, 0], 1), ([0, 32, 0], 2), ([31, 32, 32], 0), ([32, 32, 32], 1),
      ([64, 64, 63], 2),
    ] {
      #expect(spread.choice(of: 1) { loads[$0] } == choice, "\(loads)")
    }
    #expect(0..<3 ~= spread.choice(of: .min) { _ in 0 })
  }
}
