// swift-format-ignore-file
import Errand
import Foundation
import ErrandTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct TestingArticle {
  @Test func `a lost connection is attempted again`() async throws {
    let server = try MockServer()
    server.script("GET", "/news", [.reset, .response(status: 503), .response(body: "at last")])

    let response = try await Client().send(.get(server.url("/news")))

    #expect(response.text == "at last")
    #expect(server.count("/news") == 3)
  }

  @Test func `the server of the article responds`() async throws {
    let server = try MockServer()
    server.on("POST", "/orders") { request in
      .response(status: request.fields["Idempotency-Key"] == nil ? 400 : 201)
    }
    server.on("GET", "/slow") { _ in .response(body: "0123456789").dripping(1, every: .milliseconds(50)) }
    server.on("GET", "/cut") { _ in .response(body: "hello world").closing(at: .body(5)) }
    server.on("GET", "/file") { request in .file(Data(count: 1 << 20), etag: "\"v1\"", for: request) }
    let client = Client()
    #expect(try await client.send(.post(server.url("/orders")).idempotencyKey("a")).status == 201)
    #expect(try await client.send(.get(server.url("/slow"))).text == "0123456789")
    #expect(try await client.send(.get(server.url("/file"))).data.count == 1 << 20)
    await #expect(throws: RequestError.self) { try await client.send(.get(server.url("/cut")).bestEffort()) }

    server.on("GET", "/stall") { _ in .stall }
    let call = client.start(.get(server.url("/stall")))
    let arrived = try await server.waitForRequests(path: "/stall")
    call.cancel()
    let end = try await server.waitUntilClosed(connection: arrived[0].connection)
    #expect(end != .closedByServer)
  }

  @Test func `the stub of the article responds`() async throws {
    let stub = StubTransport([.fail(.connectionLost), .response(body: "hello")])
    let response = try await Client(transport: stub).send(.get("https://example.com"))
    #expect(response.text == "hello" && stub.requests.count == 2)
  }

  @Test func `the article's request is cancelled in flight`() async throws {
    let stalled = StubTransport([.stall])
    let client = Client(transport: stalled)
    let task = Task { try await client.send(.get("https://example.com")) }
    try await stalled.waitForRequests()   // the request is in flight
    task.cancel()
    await #expect(throws: RequestError.self) { try await task.value }
    #expect(stalled.cancelled == 1)
  }

  @Test func `the gate of the article holds one response back`() async throws {
    let gate = StubGate()
    let held = StubTransport { request in
      request.url.path() == "/first" ? .response(body: "one").behind(gate) : .response(body: "two")
    }
    let client = Client(transport: held)
    let first = client.start(.get("https://example.com/first"))
    #expect(try await client.send(.get("https://example.com/second")).text == "two")
    gate.open()
    #expect(try await first.value.text == "one")
  }

  @Test func `the clock of the article does not wait`() async throws {
    let clock = VirtualClock()
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.random = SeededRandom(seed: 7)
    configuration.retry = .attempts(10)
    let down = StubTransport(clock: clock, [.fail(.connectionLost)])
    let client = Client(transport: down, configuration: configuration)
    await #expect(throws: RequestError.self) {
      _ = try await clock.run { try await client.send(.get("https://example.com")) }
    }
    let network = SimulatedNetwork(clock: clock, random: SeededRandom(seed: 7), conditions: .bad) { attempt in
      SimulatedResponse(text: "you asked for \(attempt.path)")
    }
    network.partition(for: .seconds(30))
    #expect(network.attempts.isEmpty)
  }

  @Test func `the clock of the article is moved once its sleepers sleep`() async throws {
    let clock = VirtualClock()
    let gate = StubGate()
    let late = StubTransport(clock: clock, [.response(body: "late").after(.seconds(4))])
    let call = Client(transport: late).start(.get("https://example.com").timeout(.seconds(5)))
    try await clock.waitForSleepers()   // the stub waits for its 4 s
    await clock.advance(by: .seconds(4))
    #expect(try await call.value.text == "late")

    let activity = RequestActivity("Loading", clock: clock)
    let waiting = Client(transport: StubTransport([.response().behind(gate)]))
    let shown = waiting.start(.get("https://example.com").activity(activity))
    try await clock.waitForSleepers()   // the activity waits for its 0.4 s
    #expect(!activity.isShown && activity.count == 1)
    await clock.advance(by: .milliseconds(500))
    for await now in activity.updates where now.isShown { break }
    gate.open()
    _ = try await shown.value
  }

  @Test func `the outbox of the article delivers`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "errand-article-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = OutboxConfiguration()
    settings.delivery.backoff = .zero
    settings.reachability = ManualReachability(.online)
    let responses = StubTransport([.response(status: 503), .response(status: 201)])
    let outbox = try await Outbox(at: folder, client: Client(transport: responses), configuration: settings)
    let receipt = try await outbox.enqueue(.post("https://example.com/orders"))
    guard case .delivered(let delivered) = try await receipt.outcome() else {
      Issue.record("the order was not delivered")
      return
    }
    #expect(delivered.status == 201 && responses.requests.count == 2)
    await outbox.close()
  }
}
