import ErrandTesting
import Testing

@testable import ErrandCore

/// Callers of several scopes that share one request.
@Suite struct ScopedSharingTests {
  private let gate = StubGate()
  private let request = Request.get("http://a.test/feed").shared()

  private func stage() -> Stage { Stage { [gate] _ in .response(body: "feed").behind(gate) } }

  @Test func `a caller leaves when its scope ends, and the others continue`() async throws {
    let stage = stage()
    let (one, other) = (RequestScope("one"), RequestScope("other"))
    let calls = [one, other].map { stage.client.start(request, in: $0) }
    let free = stage.client.start(request)
    try await stage.reachSharing(3, request)
    one.end()
    #expect(await calls[0].result.requestError?.cancellation == .scopeEnded("one"))
    #expect(stage.stub.cancelled == 0)
    #expect([one.count, other.count] == [0, 1])
    gate.open()
    #expect(await calls[1].result.text == "feed")
    #expect(try await free.value.text == "feed")
    #expect(stage.stub.requests.count == 1)
    await stage.expectNothingLeft()
    #expect(stage.client.pipeline.coalescing.states.isEmpty)
  }

  @Test func `a shared request in transfer is cancelled when the last scope ends`() async throws {
    let stage = stage()
    let (one, other) = (RequestScope("one"), RequestScope("other"))
    let calls = [one, other].map { stage.client.start(request, in: $0) }
    try await stage.reachSharing(2, request)
    try await stage.stub.waitForRequests(1)
    one.end()
    other.cancel(reason: .other("gone"))
    #expect(await calls[0].result.requestError?.cancellation == .scopeEnded("one"))
    #expect(await calls[1].result.requestError?.cancellation == .other("gone"))
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 1)
    #expect(stage.client.pipeline.coalescing.states.isEmpty)
  }

  @Test func `a scope that ends gives each of its calls the call's own outcome`() async {
    for _ in 0..<50 {
      let stage = stage()
      let scope = RequestScope("page")
      var calls = [stage.client.start(.get("http://a.test/first"), in: scope)]
      for index in 1..<8 {
        calls.append(stage.client.start(.get("http://a.test/\(index)").after(calls[index - 1]), in: scope))
      }
      scope.end()
      for call in calls {
        #expect(await call.result.requestError?.cancellation == .scopeEnded("page"))
      }
      #expect(scope.count == 0)
    }
  }

  @Test func `an ended scope starts no request of any kind`() async throws {
    let stage = stage()
    let scope = RequestScope("page")
    scope.end()
    let kept = Request.get("http://a.test/kept").cached(as: "kept")
    for request in [request, kept, .get("http://a.test/").latest(), .get("http://a.test/").ignoringRepeats()]
    {
      let error = await stage.client.start(request, in: scope).result.requestError
      #expect(error?.cancellation == .scopeEnded("page"))
      #expect(error?.description.contains("GET http://a.test/") == true)
      await #expect(throws: RequestError.self) { try await stage.client.send(request, in: scope) }
      await #expect(throws: RequestError.self) { try await stage.client.stream(request, in: scope) }
    }
    #expect(stage.stub.requests.isEmpty)
    await stage.expectNothingLeft()
    #expect(stage.client.pipeline.coalescing.states.isEmpty)
  }
}
