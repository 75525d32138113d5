import ErrandCore
import ErrandTesting
import Foundation
import Testing

@Suite("The stub transport")
struct StubTransportTests {
  @Test("plays a script, records its requests, and repeats its last step")
  func script() async throws {
    let stub = StubTransport([
      .fail(.connectionLost), .response(body: "hello"), .response(status: 201, body: "again"),
    ])
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .zero
    let client = Client(transport: stub, configuration: configuration)
    let first = try await client.send(.put("http://stub.test/a", .text("one")))
    #expect(first.text == "hello")
    #expect(first.timing.attempts == 2)
    let second = try await client.send(.get("http://stub.test/b"))
    #expect(second.status == 201)
    let third = try await client.send(.get("http://stub.test/c"))
    #expect(third.text == "again")
    #expect(stub.requests.map(\.url.path) == ["/a", "/a", "/b", "/c"])
    #expect(stub.requests.map(\.text) == ["one", "one", "", ""])
    #expect(stub.requests[0].method == .put)
    #expect(stub.mostInFlight == 1)
    #expect(stub.inFlight == 0)
  }

  @Test("responds with a value as JSON")
  func json() async throws {
    let stub = StubTransport([
      .response(status: 201, json: ["id": 7]),
      .response(fields: ["Content-Type": "application/vnd.api+json"], json: ["id": 8]),
    ])
    let client = Client(transport: stub)
    let first = try await client.send(.get("http://stub.test/"))
    #expect(first.status == 201 && first.fields["Content-Type"] == "application/json")
    #expect(first.text == #"{"id":7}"#)
    let second = try await client.send(.get("http://stub.test/"))
    #expect(second.fields["Content-Type"] == "application/vnd.api+json")
    #expect(try second.decode([String: Int].self) == ["id": 8])
    let impossible = Client(transport: StubTransport([.response(json: Double.nan)]))
    await #expect(throws: EncodingError.self) { try await impossible.send(.get("http://stub.test/")) }
  }

  @Test("applies the request's time-out on its own clock")
  func timeout() async throws {
    let clock = VirtualClock()
    let stub = StubTransport(clock: clock, [.stall, .response(body: "late").after(.seconds(4))])
    let client = Client(transport: stub)
    let request = Request.get("http://stub.test/").timeout(.seconds(5)).bestEffort()
    let stalled = Task { try await client.send(request) }
    try await clock.waitForSleepers(1)
    #expect(clock.ends.map(\.offset) == [.seconds(5)])
    await clock.advance(by: .seconds(5))
    let error = await #expect(throws: RequestError.self) { try await stalled.value }
    #expect(error?.code == .timedOut)
    let late = Task { try await client.send(request) }
    try await clock.waitForSleepers(1)
    await clock.advance(by: .seconds(4))
    let response = try await late.value
    #expect(response.text == "late")
  }

  @Test("ends at once when it is cancelled")
  func cancellation() async throws {
    let stub = StubTransport([.stall])
    let client = Client(transport: stub)
    let waiting = Task { try await client.send(.get("http://stub.test/")) }
    try await stub.waitForRequests(1)
    waiting.cancel()
    let error = await #expect(throws: RequestError.self) { try await waiting.value }
    #expect(error?.cancellation == .taskCancelled)
    #expect(stub.cancelled == 1)
  }

  @Test("delays a response until a gate opens")
  func gate() async throws {
    let gate = StubGate()
    let stub = StubTransport([.response(body: "through").behind(gate)])
    let client = Client(transport: stub)
    async let first = client.send(.get("http://stub.test/1"))
    async let second = client.send(.get("http://stub.test/2"))
    try await stub.waitForRequests(2)
    #expect(stub.inFlight == 2)
    gate.open()
    let texts = try await [first.text, second.text]
    #expect(texts == ["through", "through"])
  }

  @Test("reads streams, files and forms to their end, and waits for a full stream to drain")
  func bodies() async throws {
    let piece = Data(repeating: 7, count: 400_000)
    let stub = StubTransport { request in .response(chunks: [request.body, request.body, request.body]) }
    let client = Client(transport: stub)
    let chunks = AsyncStream<Data> { stream in
      for _ in 0..<5 { stream.yield(piece) }
      stream.finish()
    }
    let response = try await client.stream(.post("http://stub.test/", .stream(chunks)))
    var received = 0
    for try await chunk in response.chunks { received += chunk.count }
    #expect(stub.requests[0].body.count == 2_000_000)
    #expect(received == 6_000_000)
  }

  @Test("is notified when the client shuts down")
  func shutdown() async {
    let stub = StubTransport([.response()])
    await Client(transport: stub).shutdown()
    #expect(stub.isShutDown)
  }
}
