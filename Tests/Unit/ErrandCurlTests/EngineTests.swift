import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore
@testable import ErrandCurl

/// Faults of the engine that were found by reading its code, each with a test that shows it.
@Suite(.timeLimit(.minutes(1))) struct EngineTests {
  /// A name that the resolver must look up: an IP address and `localhost` never start the resolver's thread.
  private static let hostName = ProcessInfo.processInfo.hostName
  private static let isLoopback: Bool = {
    var hints = addrinfo()
    hints.ai_family = AF_INET
    var found: UnsafeMutablePointer<addrinfo>?
    guard hostName != "localhost", getaddrinfo(hostName, nil, &hints, &found) == 0, let found else {
      return false
    }
    defer { freeaddrinfo(found) }
    return found.pointee.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
      $0.pointee.sin_addr.s_addr.bigEndian == 0x7F00_0001
    }
  }()

  @Test(.enabled(if: isLoopback, "the machine's own name does not resolve to 127.0.0.1"))
  func `a request to a host that is looked up takes no longer than one without a lookup`() async throws {
    let server = try MockServer()
    server.on("/") { _ in .response(body: "late").pausing(.milliseconds(700)) }
    let client = Client(transport: CurlTransport())
    for _ in 0..<3 {
      let url = "http://\(Self.hostName):\(server.port)/"
      let response = try await client.send(.get(url).timeout(.seconds(3)).bestEffort())
      #expect(response.text == "late")
      #expect(response.timing.attempts == 1)
    }
  }

  @Test func `the memory of large bodies is released when no request is left`() async throws {
    let server = try MockServer()
    let body = Data(repeating: 7, count: 300_000)
    server.on("/") { _ in .response(body: body) }
    server.on("/stall") { _ in .stall }
    let transport = CurlTransport()
    let memory = try #require(transport.executor as? CurlEngine).handles.memory
    let client = Client(transport: transport)
    let waiting = client.start(.get(server.url("/stall")).timeout(.seconds(300)))
    let data = try await client.send(.get(server.url("/"))).data
    // A request is still in flight, so the memory is kept.
    #expect(memory.isInUse)
    waiting.cancel()
    try await waitUntil { !memory.isInUse }
    #expect(data == body)
  }

  @Test func `a transport whose first request is cancelled before it starts still works`() async throws {
    /// Cancels the task of each call just before the exchange begins.
    struct Cancelling: Transport {
      let transport: CurlTransport
      var tellsWhenRequestsGoOut: Bool { transport.tellsWhenRequestsGoOut }
      func perform(_ exchange: Exchange) async throws -> TransferResult {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await transport.perform(exchange)
      }
      func shutdown() async {}
    }
    let server = try MockServer()
    server.on("/") { _ in .response(body: "here") }
    let transport = CurlTransport()
    let cancelling = Client(transport: Cancelling(transport: transport))
    let error = await #expect(throws: RequestError.self) {
      try await Task { try await cancelling.send(.get(server.url("/unwanted"))) }.value
    }
    #expect(error?.code == .cancelled)
    let client = Client(transport: transport)
    for _ in 0..<3 { #expect(try await client.send(.get(server.url("/"))).text == "here") }
    await client.shutdown()
    #expect(server.requests.map(\.path) == ["/", "/", "/"])
  }

  @Test func `an engine that never ran stops at once, however often it is stopped`() async throws {
    let engine = CurlEngine(CurlOptions(CurlConfiguration()))
    for _ in 0..<2 {
      await withCheckedContinuation { continuation in engine.stop { continuation.resume() } }
    }
  }

  @Test func `requests that are cancelled at any instant leave nothing behind, and no caller hangs`()
    async throws
  {
    let server = try MockServer()
    server.on("/") { _ in .response(body: Data(count: 3000)) }
    server.on("/stall") { _ in .response(body: Data(count: 1000)).stalling(at: .body(10)) }
    let client = Client(transport: CurlTransport())
    var random = SystemRandomNumberGenerator()
    for _ in 0..<400 {
      let streams = Bool.random(using: &random)
      let url = server.url(Bool.random(using: &random) ? "/" : "/stall")
      let task = Task {
        if streams {
          for try await _ in try await client.stream(.get(url)).chunks {}
        } else {
          try await client.send(.get(url))
        }
      }
      let spins = Int.random(in: 0..<60, using: &random)
      for _ in 0..<spins { await Task.yield() }
      task.cancel()
      _ = await task.result
    }
    await client.shutdown(within: .seconds(5))
    try await server.waitForOpenConnections(0)
  }

  @Test func `a POST with an empty body is not sent twice on a stale connection`() async throws {
    let server = try MockServer()
    server.on("GET", "/") { _ in .response(body: "kept") }
    server.on("POST", "/") { _ in .close }
    let client = Client(transport: CurlTransport())
    for body in [RequestBody.none, .bytes(Data()), .text(""), .form([:] as KeyValuePairs)] {
      try await client.send(.get(server.url("/")))
      let before = server.requests.count
      await #expect(throws: RequestError.self) { try await client.send(.post(server.url("/"), body)) }
      #expect(server.requests.count == before + 1)
    }
  }
}
