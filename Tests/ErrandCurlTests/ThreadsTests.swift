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

  @Test func `requests one after another use one connection, whatever the number of threads`() async throws {
    let client = client(4)
    for _ in 0..<20 { try await send(1, "/", over: client) }
    #expect(server.connections.count == 1)
    await client.shutdown()
  }

  @Test func `many at once all end, and the threads with them`() async throws {
    let client = client(4)
    try await send(200, "/slow", over: client)
    await client.shutdown()
    await #expect(throws: RequestError.self) { try await client.send(.get(server.url("/"))) }
  }

  @Test func `threads together keep the limit of connections`() async throws {
    let client = client(4) { $0.maxConnectionsPerHost = 6 }
    try await send(100, "/", over: client)
    #expect(server.connections.count <= 6)
    await client.shutdown()
  }

  @Test(arguments: 0...4)
  func `a limit is kept exactly, and each thread has a connection`(_ threads: Int) {
    for limit in 0...40 {
      let spread = CurlSpread(
        threads: threads, connectionsPerHost: limit, idleConnections: 2, keepsCookies: false)
      #expect(spread.connectionsPerHost * spread.threadsPerOrigin == limit || limit == 0)
      #expect(1...max(1, threads) ~= spread.threadsPerOrigin)
      #expect(spread.idleConnections >= 1)
    }
  }

  @Test func `cookies are kept by one thread, and no number of threads is too large`() {
    func spread(_ threads: Int, _ keepsCookies: Bool) -> CurlSpread {
      CurlSpread(threads: threads, connectionsPerHost: 0, idleConnections: 256, keepsCookies: keepsCookies)
    }
    #expect(spread(8, true).threads == 1)
    #expect(spread(.max, false).threads == CurlSpread.mostThreads)
    #expect(spread(.min, false).threads == 1)
  }

  @Test func `a thread is left when it is busy, for the least busy of the others`() {
    let spread = CurlSpread(threads: 3, connectionsPerHost: 0, idleConnections: 256, keepsCookies: false)
    for (loads, choice) in [
      ([0, 0, 0], 1), ([0, 31, 0], 1), ([0, 32, 0], 2), ([31, 32, 32], 0), ([32, 32, 32], 1),
      ([64, 64, 63], 2),
    ] {
      #expect(spread.choice(of: 1) { loads[$0] } == choice, "\(loads)")
    }
    #expect(0..<3 ~= spread.choice(of: .min) { _ in 0 })
  }
}
