import ErrandTesting
import Testing

@testable import ErrandCore

/// An activity whose requests pass through all stages.
@Suite struct ActivityStagesTests {
  private let gate = StubGate()

  @Test func `an activity stays shown between two attempts`() async throws {
    let stage = Stage { [gate] request in
      request.index == 0
        ? .response(status: 503, fields: ["Retry-After": "9"]) : .response(body: "done").behind(gate)
    }
    let activity = RequestActivity("Loading", clock: stage.clock)
    let call = stage.client.start(.get("http://a.test/").activity(activity, text: "Feed", blocksInput: true))
    try await stage.clock.waitForSleepers(2)
    #expect(activity.snapshot == RequestActivity.Snapshot(text: "Feed", blocksInput: true, count: 1))
    await stage.clock.advance(by: .seconds(1))
    var updates = activity.updates.makeAsyncIterator()
    while await updates.next(isolation: nil)?.isShown != true {}
    // Counts the updates that hide the activity before the response arrives.
    let shown = Task { [seen = updates] in
      var updates = seen
      var blinks = 0
      while let now = await updates.next(isolation: nil), now.count > 0 { if !now.isShown { blinks += 1 } }
      return blinks
    }
    await stage.clock.advance(by: .seconds(8))
    try await stage.stub.waitForRequests(2)
    #expect(activity.isShown)
    gate.open()
    _ = try await call.value
    #expect(await shown.value == 0)
    #expect(activity.count == 0)
    #expect(!activity.blocksInput)
  }

  @Test func `an activity does not show a request in the background`() async throws {
    let stage = Stage { [gate] _ in .response().behind(gate) }
    let activity = RequestActivity("Loading", clock: stage.clock)
    let call = stage.client.start(.get("http://a.test/").activity(activity).inBackground())
    try await stage.stub.waitForRequests(1)
    #expect(activity.count == 0)
    #expect(call.priority == .background)
    gate.open()
    _ = try await call.value
  }

  @Test func `a prerequisite request blocks input from the start to the end of its call`() async throws {
    let stage = Stage { [gate] _ in .response().behind(gate) }
    let activity = RequestActivity("Loading", clock: stage.clock)
    let call = stage.client.start(.get("http://a.test/").mustFinishFirst(activity, text: "Paying"))
    #expect(activity.blocksInput)
    #expect(activity.text == "Paying")
    #expect(call.priority == .userInitiated)
    gate.open()
    _ = try await call.value
    #expect(!activity.blocksInput)
  }

  @Test
  func `an activity counts a call that waits for a slot or for other calls, and a stream until it is read`()
    async throws
  {
    let stage = Stage.configured { $0.limits.total = 1 }.responding { [gate] request in
      request.path == "/stream"
        ? .response(chunks: [ByteStream.largeChunk, ByteStream.largeChunk]) : .response().behind(gate)
    }
    let activity = RequestActivity("Loading", clock: stage.clock)
    let request = Request.get("http://a.test/").activity(activity)
    let first = stage.client.start(request)
    let second = stage.client.start(request.after(first))
    #expect(activity.count == 2)
    gate.open()
    _ = try await second.value
    #expect(activity.count == 0)
    let stream = try await stage.client.stream(.get("http://a.test/stream").activity(activity))
    #expect(activity.count == 1)
    #expect(try await stream.chunks.readAll() == 2 << 20)
    #expect(activity.count == 0)
  }

  @Test func `callers that share a request each appear in their own activity`() async throws {
    let stage = Stage { [gate] _ in .response().behind(gate) }
    let (one, other) = (
      RequestActivity("One", clock: stage.clock), RequestActivity("Other", clock: stage.clock)
    )
    let request = Request.get("http://a.test/").shared()
    let calls = [one, other].map { stage.client.start(request.activity($0)) }
    try await stage.reachSharing(2, request)
    calls[0].cancel()
    _ = await calls[0].result
    #expect([one.count, other.count] == [0, 1])
    gate.open()
    _ = try await calls[1].value
    #expect(other.count == 0)
  }
}

extension RequestActivity {
  fileprivate var snapshot: Snapshot {
    Snapshot(isShown: isShown, text: text, blocksInput: blocksInput, fraction: fraction, count: count)
  }
}
