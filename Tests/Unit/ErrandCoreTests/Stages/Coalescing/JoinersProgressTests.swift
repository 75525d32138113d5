import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The progress that callers of a shared request receive.
@Suite struct JoinersProgressTests {
  @Test(arguments: 1...10)
  func `each caller receives progress in order, and the last byte before the response`(round: Int)
    async throws
  {
    let gate = StubGate()
    let chunks = (0..<50).map { _ in Data(count: 1000) }
    let stage = Stage { _ in
      .response(fields: ["Content-Length": "50000"], chunks: chunks).behind(gate)
    }
    let request = Request.post("http://a.test/feed", .bytes(Data(count: 300))).shared()
    let told = (0..<8).map { _ in Told() }
    let tasks = told.map { told in
      Task {
        _ = try await stage.client.send(request, progress: told.hear)
        return told.words
      }
    }
    try await stage.reachSharing(8, request)
    gate.open()
    for (task, told) in zip(tasks, told) {
      let words = try await task.value
      #expect(words.last?.received == 50_000)
      #expect(words.last?.receivedTotal == 50_000)
      #expect(words.last?.sent == 300)
      #expect(told.isMonotone)
      #expect(told.words == words)
    }
  }

  @Test func `a caller that has left receives no more progress`() async throws {
    let gate = StubGate()
    let stage = Stage { _ in .response(body: "feed").behind(gate) }
    let request = Request.get("http://a.test/feed").shared()
    let told = Told()
    let leaver = Task { try await stage.client.send(request, progress: told.hear) }
    try await stage.reachSharing(1, request)
    let stays = stage.client.start(request)
    try await stage.reachSharing(2, request)
    try await stage.stub.waitForRequests(1)
    leaver.cancel()
    await #expect { try await leaver.value } throws: { $0.isCancellation }
    gate.open()
    _ = try await stays.value
    #expect(told.words.allSatisfy { $0.received == 0 })
  }

  @Test func `an activity follows the shared request of its call`() async throws {
    let gate = StubGate()
    let stage = Stage { _ in
      .response(fields: ["Content-Length": "10"], body: "0123456789").behind(gate)
    }
    let activity = RequestActivity("Loading", delay: .zero, clock: stage.clock)
    let request = Request.get("http://a.test/feed").shared()
    let first = stage.client.start(request)
    let second = stage.client.start(request.activity(activity))
    try await stage.reachSharing(2, request)
    #expect(activity.count == 1)
    gate.open()
    _ = try await (first.value, second.value)
    #expect(activity.count == 0)
  }
}
