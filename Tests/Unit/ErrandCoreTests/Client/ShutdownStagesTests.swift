import ErrandTesting
import Testing

@testable import ErrandCore

/// Shuts down a client whose requests are in all stages.
@Suite struct ShutdownStagesTests {
  private func get(_ path: String) -> Request { .get("http://a.test/\(path)") }

  @Test func `the shutdown limit gives all waiting calls one outcome, at every stage`() async throws {
    let stage = Stage.configured { $0.limits.total = 2 }.responding { request in
      switch request.path {
      case "/kept", "/replayed": .response(body: "kept")
      case "/busy": .response(status: 503, fields: ["Retry-After": "50"])
      case "/stream": .response(chunks: [ByteStream.largeChunk, ByteStream.largeChunk])
      default: .stall
      }
    }
    let client = stage.client
    let outcomes = Tally()
    try await client.send(get("kept").cached(as: "kept"))
    try await client.send(get("replayed").shared(within: .seconds(60)))
    var calls = [client.start(get("busy"))]
    try await stage.clock.waitForSleepers(2)
    let stream = try await client.stream(get("stream"))
    calls.append(client.start(get("stalled").timeout(.seconds(99))))
    try await stage.stub.waitForRequests(5)
    calls.append(client.start(get("waits").deadline(.seconds(80))))
    calls.append(client.start(get("after").after(calls[1])))
    calls.append(client.start(get("after").after(calls[1]).shared()))
    calls += (0..<3).map { _ in client.start(get("shared").shared()) }
    calls.append(client.start(get("finishes").shared(whenAbandoned: .finishes)))
    calls.append(client.start(get("latest").latest()))
    #expect(try await client.send(get("kept").cached(as: "kept", .staleWhileRevalidate)).text == "kept")
    calls.append(client.start(get("failing").cached(as: "kept", .staleIfError).deadline(.seconds(80))))
    await stage.reachWaiting(6)
    for call in calls { _ = call.promise.listen { _ in outcomes.add() } }
    // The clock's sleepers: the sharing window, both time-outs, the deadlines, and the shutdown limit.
    let shutdown = Task { await client.shutdown(within: .seconds(5)) }
    try await stage.clock.waitForSleepers(5)
    #expect(outcomes.count == 0)
    await stage.clock.advance(by: .seconds(5))
    for call in calls {
      let error = await call.result.requestError
      #expect(error?.cancellation == .clientShutDown, "\(call): \(error?.description ?? "-")")
      #expect(error?.description.contains("\(call)") == true)
    }
    let error = await #expect(throws: RequestError.self) { try await stream.chunks.readAll() }
    #expect(error?.cancellation == .clientShutDown)
    await shutdown.value
    // The waiters of a call resume one after another, so the first to resume may not be the last.
    await outcomes.reach(calls.count)
    #expect(outcomes.count == calls.count)
    #expect(stage.stub.isShutDown)
    await stage.expectNothingLeft()
  }

  @Test func `requests in flight pass through all their stages before the limit`() async throws {
    let gate = StubGate()
    let stage = Stage { request in
      request.path == "/first" ? .response().behind(gate) : .response(body: "done")
    }
    let first = stage.client.start(get("first"))
    let calls = [
      get("plain"), get("shared").shared(), get("kept").cached(as: "kept"), get("latest").latest(),
      get("ignoring").ignoringRepeats(), get("both").shared().cached(as: "both", .staleIfError),
    ].map { stage.client.start($0.after(first)) }
    try await stage.stub.waitForRequests(1)
    let shutdown = Task { await stage.client.shutdown(within: .seconds(5)) }
    try await stage.clock.waitForSleepers(1)
    gate.open()
    for call in calls {
      #expect(await call.result.text == "done", "\(call)")
    }
    await shutdown.value
    await stage.expectNothingLeft()
  }

  @Test func `a shared request that finishes without callers does not start again after the limit`()
    async throws
  {
    let stage = Stage { _ in .stall }
    for _ in 0..<20 {
      let call = stage.client.start(get("finishes").shared(whenAbandoned: .finishes))
      await stage.client.shutdown(within: .zero)
      #expect(await call.result.requestError?.cancellation == .clientShutDown)
    }
    await stage.expectNothingLeft()
  }

  @Test func `two shutdowns can run concurrently`() async throws {
    let stage = Stage { _ in .stall }
    let call = stage.client.start(get("stalled"))
    try await stage.stub.waitForRequests(1)
    async let one: Void = stage.client.shutdown(within: .zero)
    async let other: Void = stage.client.shutdown(within: .zero)
    _ = await (one, other)
    #expect(await call.result.requestError?.cancellation == .clientShutDown)
  }
}
