import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite(.timeLimit(.minutes(1))) struct EventOrderTests {
  private let recorder = EventRecorder()
  private let url = "http://a.test/x"

  private func configured(_ change: @escaping (inout ClientConfiguration) -> Void) -> Stage.Configured {
    Stage.configured { [recorder] in
      $0.listeners = [recorder]
      change(&$0)
    }
  }

  private func stage(
    _ handler: @escaping StubTransport.Handler = { _ in .response(body: "hello") }
  ) -> Stage { configured { _ in }.responding(handler) }

  @Test func `a plain call reports its start, its attempt, its response and its end`() async throws {
    try await stage().client.send(.get(url))
    #expect(
      recorder.steps() == [
        "started", "sends GET http://a.test/x", "received 200 OK, 5 bytes", "accepted the response",
        "ended: 200 OK, 5 bytes",
      ])
    #expect(recorder.problems.isEmpty)
  }

  @Test func `a retry reports its reason, its time and its wait`() async throws {
    let stage = configured { $0.retry = .attempts(2) }.responding { request in
      request.index == 0 ? .response(status: 503, fields: ["Retry-After": "2"]) : .response()
    }
    let call = stage.client.start(.get(url))
    await stage.reachSleep(of: .seconds(2))
    await stage.clock.advance(by: .seconds(2))
    _ = try await call.value
    let failure = "the server responded with 503 Service Unavailable, but 200 to 299 was expected"
    #expect(
      recorder.steps(of: call.id.number) == [
        "started", "sends GET http://a.test/x", "received 503 Service Unavailable, 0 bytes",
        "attempt failed: \(failure)", "attempts again after 2.0 s: \(failure)",
        "waits for 2.0 s until the next attempt", "waited for 2.0 s until the next attempt",
        "sends GET http://a.test/x", "received 200 OK, 0 bytes", "accepted the response",
        "ended: 200 OK, 0 bytes",
      ])
    #expect(recorder.records.last?.event.attempt == 2)
    #expect(recorder.problems.isEmpty)
  }

  @Test func `a redirect reports its target, within the same attempt`() async throws {
    try await stage { request in
      request.path == "/x" ? .response(status: 302, fields: ["Location": "/y"]) : .response()
    }.client.send(.get(url))
    #expect(recorder.steps()[3...4] == ["is redirected to GET http://a.test/y", "sends GET http://a.test/y"])
    let last = try #require(recorder.records.last { $0.text.hasPrefix("received") })
    #expect((last.event.attempt, last.event.redirects) == (1, 1))
  }

  @Test func `a call that waits for a slot reports the wait`() async throws {
    let gate = StubGate()
    let stage = configured { $0.limits = ConcurrencyLimits(total: 1) }.responding { _ in
      .response().behind(gate)
    }
    let first = stage.client.start(.get(url))
    try await stage.stub.waitForRequests(1)
    let second = stage.client.start(.get(url))
    await stage.reachWaiting(1)
    gate.open()
    _ = try await (first.value, second.value)
    #expect(recorder.steps(of: second.id.number)[1...2] == ["waits for a slot", "waited for a slot"])
    #expect(recorder.problems.isEmpty)
  }

  @Test func `callers that share a request wait for a separate call that sends it`() async throws {
    let gate = StubGate()
    let stage = stage { _ in .response(body: "one").behind(gate) }
    let request = Request.get(url).shared()
    let first = stage.client.start(request)
    let second = stage.client.start(request)
    try await stage.reachSharing(2, request)
    gate.open()
    _ = try await (first.value, second.value)
    let shared = try #require(recorder.records.first { $0.event.purpose == .sharing }).call
    for call in [first, second] {
      #expect(
        recorder.steps(of: call.id.number) == [
          "started", "shares #\(shared)", "waits for the response of #\(shared)",
          "waited for the response of #\(shared)", "ended: 200 OK, 3 bytes",
        ])
    }
    #expect(recorder.steps(of: shared).last == "ended: 200 OK, 3 bytes")
    #expect(recorder.problems.isEmpty)
  }

  @Test func `a call reports the wait for its dependencies and the decision of the cache`() async throws {
    let stage = stage()
    let first = stage.client.start(.get(url))
    let second = stage.client.start(.get(url).after(first).cached(as: "x"))
    _ = try await second.value
    try await stage.client.send(.get(url).cached(as: "x"))
    #expect(
      recorder.steps(of: second.id.number)[1...3] == [
        "waits for the calls that it depends on", "waited for the calls that it depends on",
        "cache: no response",
      ])
    let third = try #require(recorder.calls.last)
    #expect(
      recorder.steps(of: third) == ["started", "cache: a response, 0.0 ms old", "ended: 200 OK, 5 bytes"])
  }

  @Test func `a cancelled call reports the reason as its last event`() async throws {
    let stage = stage { _ in .stall }
    let scope = RequestScope("page")
    let call = stage.client.start(.get(url), in: scope)
    try await stage.stub.waitForRequests(1)
    scope.end()
    _ = await call.result
    await stage.expectNothingLeft()
    let steps = recorder.steps(of: call.id.number)
    #expect(steps.last == "cancelled: its scope \"page\" ended")
    #expect(recorder.records.allSatisfy { $0.event.scope == "page" })
    #expect(recorder.problems.isEmpty)
  }

  @Test func `a stream ends with its last byte, and a call that cannot start reports a failure`() async throws
  {
    // More than a stream buffers, so that the last byte cannot arrive before the first read.
    let chunks = [Data(count: 1 << 20), Data("end".utf8)]
    let stage = stage { _ in .response(chunks: chunks) }
    let response = try await stage.client.stream(.get(url))
    #expect(recorder.steps().last == "accepted the response")
    #expect(try await response.chunks.readAll() == chunks.reduce(0) { $0 + $1.count })
    #expect(recorder.steps().last == "ended: 200 OK")
    await stage.client.shutdown()
    await #expect(throws: RequestError.self) { try await stage.client.send(.get(url)) }
    #expect(recorder.records.last?.text == "cancelled: the client was shut down")
  }

  @Test func `a listener may cancel the call of the event that it is handling`() async throws {
    let calls = Locked<[UInt64: Call]>([:])
    let cancelling = EventRecorder { event in
      if case .responded = event.kind { calls.withLock { $0[event.call] }?.cancel() }
    }
    let gate = StubGate()
    let stage = configured { $0.listeners = [cancelling] }.responding { _ in .response().behind(gate) }
    let call = stage.client.start(.get(url))
    calls.withLock { $0[call.id.number] = call }
    gate.open()
    #expect(await call.result.requestError?.code == .cancelled)
    #expect(cancelling.steps(of: call.id.number).last == "cancelled: its call was cancelled")
    #expect(cancelling.problems.isEmpty)
  }
}
