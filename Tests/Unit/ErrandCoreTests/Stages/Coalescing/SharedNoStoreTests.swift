import ErrandTesting
import Testing

@testable import ErrandCore

/// The window of a shared request stores its response for a while, which `Cache-Control: no-store` forbids.
@Suite(.timeLimit(.minutes(1))) struct SharedNoStoreTests {
  private let request = Request.get("http://a.test/data").shared(within: .seconds(9))

  @Test func `a response with no-store is shared by the waiting callers, and not replayed`() async throws {
    let gate = StubGate()
    let stage = Stage {
      .response(fields: ["Cache-Control": "private, no-store"], body: "\($0.index)").behind(gate)
    }
    let calls = [stage.client.start(request), stage.client.start(request)]
    try await stage.reachSharing(2, request)
    gate.open()
    for call in calls { #expect(try await call.value.text == "0") }
    #expect(try await stage.client.send(request).text == "1")
    await stage.expectNothingLeft()
    #expect(stage.client.pipeline.coalescing.states.isEmpty)
  }

  @Test func `a failure with no-store is not replayed`() async throws {
    let stage = Stage { _ in .response(status: 404, fields: ["Cache-Control": "no-store"]) }
    for _ in 0..<2 { await #expect(throws: RequestError.self) { try await stage.client.send(request) } }
    #expect(stage.stub.requests.count == 2)
  }

  @Test func `a request with no-store does not get a response that has already arrived`() async throws {
    let stage = Stage { .response(body: "\($0.index)") }
    let request = request.field("Cache-Control", "no-store")
    for number in 0..<2 { #expect(try await stage.client.send(request).text == "\(number)") }
    await stage.settle()
  }

  @Test func `a response that may be stored is replayed`() async throws {
    let stage = Stage {
      .response(fields: ["Cache-Control": "no-cache=\"a, no-store\""], body: "\($0.index)")
    }
    for _ in 0..<2 { #expect(try await stage.client.send(request).text == "0") }
    await stage.settle()
  }
}
