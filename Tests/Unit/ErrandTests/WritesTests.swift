import Errand
import ErrandTesting
import Testing

/// Writes that make reads out of date, and calls that wait for the network.
@Suite(.timeLimit(.minutes(1))) struct WritesTests {
  private let server: MockServer

  init() throws { server = try MockServer() }

  private func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> Client {
    Client { change(&$0) }
  }

  @Test func `a shared and cached read is sent again after a write`() async throws {
    server.script("GET", "/profile", [.response(body: "old"), .response(body: "new")])
    server.on("PUT", "/profile") { _ in .response(status: 204) }
    let client = client()
    let read = Request.get(server.url("/profile")).shared(within: .seconds(60)).cached(as: "profile")
    #expect(try await client.send(read).text == "old")
    #expect(try await client.send(read).text == "old")
    try await client.send(.put(server.url("/profile"), .text("new")).invalidating("profile"))
    #expect(try await client.send(read).text == "new")
    #expect(server.count("/profile") == 3)
  }

  @Test func `with the HTTP cache, a read that is still running is not joined after a write to its URL`()
    async throws
  {
    server.script("GET", "/list", [.stall, .response(body: "new")])
    server.on("POST", "/list") { _ in .response(status: 201) }
    let client = client { $0.cache = .http(MemoryResponseCache()) }
    let read = Request.get(server.url("/list")).shared()
    let early = client.start(read)
    try await server.waitForRequests(1)
    try await client.send(.post(server.url("/list"), .text("item")))
    #expect(try await client.send(read).text == "new")
    early.cancel()
    await #expect(throws: RequestError.self) { try await early.value }
  }

  @Test func `a call is sent as soon as there is a network`() async throws {
    server.on("/") { _ in .response(body: "ok") }
    let network = ManualReachability(.offline)
    let call = client().start(.get(server.url("/")).waitsForNetwork(within: .seconds(60), network))
    for _ in 0..<100 { await Task.yield() }
    #expect(server.requests.isEmpty)
    network.set(.online)
    #expect(try await call.value.text == "ok")
  }
}
