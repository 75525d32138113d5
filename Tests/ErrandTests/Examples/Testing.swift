// swift-format-ignore-file
import Errand
import Foundation
import ErrandTesting
import Testing

@Suite struct TestingArticle {
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
  }

  @Test func `the stub of the article responds`() async throws {
    let stub = StubTransport([.fail(.connectionLost), .response(body: "hello")])
    let response = try await Client(transport: stub).send(.get("https://example.com"))
    #expect(response.text == "hello" && stub.requests.count == 2)
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
}
