import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes that make shared and cached reads out of date.
@Suite struct InvalidationTests {
  private let read = Request.get("http://a.test/profile")
  private let write = Request.put("http://a.test/other", .text("new")).invalidating("profile")

  /// A stage whose reads return the number of the read, and wait at a gate if they are the first.
  private func stage(_ gate: StubGate? = nil, cache: (any ResponseCache)? = nil) -> Stage {
    let later = Locked(1)
    return Stage.configured { if let cache { $0.cache = cache } }.responding { request in
      guard request.method == .get else { return .response(status: 204) }
      // The first read is the first request that arrived. Under load, its responder may run after that of the next one.
      let number =
        request.index == 0
        ? 1
        : later.withLock { count in
          count += 1
          return count
        }
      let step = StubStep.response(fields: ["Cache-Control": "max-age=1000"], body: "\(number)")
      return number == 1 ? gate.map { step.behind($0) } ?? step : step
    }
  }

  @Test func `a shared read that began before a write is not joined after it`() async throws {
    let gate = StubGate()
    let stage = stage(gate)
    let shared = read.shared(within: .seconds(100), key: "profile")
    let early = stage.client.start(shared)
    try await stage.stub.waitForRequests(1)
    let joined = stage.client.start(shared)
    try await stage.reachSharing(2, shared)
    try await stage.client.send(write)
    #expect(try await stage.client.send(shared).text == "2")
    #expect(try await stage.client.send(shared).text == "2", "the new read is shared")
    gate.open()
    #expect(try await early.value.text == "1")
    #expect(try await joined.value.text == "1")
    await stage.settle()
    await stage.expectNothingLeft()
  }

  @Test func `a read that began during the write is not joined after it`() async throws {
    let gate = StubGate()
    let stage = Stage {
      $0.method == .put ? .response(status: 204).behind(gate) : .response(body: "\($0.index)")
    }
    let shared = read.shared(within: .seconds(100), key: "profile")
    let writing = stage.client.start(write)
    try await stage.stub.waitForRequests(1)
    #expect(try await stage.client.send(shared).text == "1")
    #expect(try await stage.client.send(shared).text == "1")
    gate.open()
    _ = try await writing.value
    #expect(try await stage.client.send(shared).text == "2")
  }

  @Test func `a read that began during a write that failed is not joined after it`() async throws {
    let gate = StubGate()
    let stage = Stage {
      $0.method == .put ? .fail(.connectionLost).behind(gate) : .response(body: "\($0.index)")
    }
    let shared = read.shared(within: .seconds(100), key: "profile")
    let writing = stage.client.start(write.retry(.never))
    try await stage.stub.waitForRequests(1)
    #expect(try await stage.client.send(shared).text == "1")
    #expect(try await stage.client.send(shared).text == "1")
    gate.open()
    await #expect(throws: RequestError.self) { try await writing.value }
    #expect(try await stage.client.send(shared).text == "2")
  }

  @Test func `reads with other keys are still shared`() async throws {
    let stage = stage()
    let other = read.shared(within: .seconds(100), key: "other")
    let own = read.shared(within: .seconds(100))
    #expect(try await stage.client.send(other).text == "1")
    #expect(try await stage.client.send(own).text == "2")
    try await stage.client.send(write)
    #expect(try await stage.client.send(other).text == "1")
    #expect(try await stage.client.send(own).text == "2")
  }

  @Test func `cached responses of these names are removed, and a read from before is not cached`()
    async throws
  {
    let gate = StubGate()
    let stage = stage(gate)
    let cached = read.cached(as: "profile", .first)
    let late = stage.client.start(cached)
    try await stage.stub.waitForRequests(1)
    let other = read.cached(as: "other", .first)
    #expect(try await stage.client.send(other).text == "2")
    try await stage.client.send(write)
    gate.open()
    #expect(try await late.value.text == "1")
    #expect(try await stage.client.cachedResponse(to: cached) == nil)
    #expect(try await stage.client.send(cached).text == "3")
    #expect(try await stage.client.send(cached).text == "3")
    try await stage.client.send(write)
    #expect(try await stage.client.cachedResponse(to: cached) == nil)
    #expect(try await stage.client.send(other).text == "2")
  }

  @Test func `a write that may have reached the server counts, and one that did not does not`() async throws {
    let fails = Locked(StubStep.fail(.cannotConnect, reachedServer: false))
    let stage = Stage {
      $0.method == .put ? fails.withLock { $0 } : .response(body: "\($0.index)")
    }
    let shared = read.shared(within: .seconds(100), key: "profile")
    let once = write.retry(.never)
    await #expect(throws: RequestError.self) { try await stage.client.send(once) }
    let first = try await stage.client.send(shared).text
    #expect(try await stage.client.send(shared).text == first)
    fails.withLock { $0 = .fail(.connectionLost) }
    await #expect(throws: RequestError.self) { try await stage.client.send(once) }
    #expect(try await stage.client.send(shared).text != first)
  }

  @Test func `a write under HTTP's rules makes shared reads of its URL out of date`() async throws {
    let gate = StubGate()
    let stage = stage(gate, cache: .http(MemoryResponseCache()))
    let shared = read.shared(within: .seconds(100))
    let early = stage.client.start(shared)
    try await stage.stub.waitForRequests(1)
    try await stage.client.send(.put("http://a.test/elsewhere", .text("new")))
    let joined = stage.client.start(shared)
    try await stage.reachSharing(2, shared)
    try await stage.client.send(.put("http://a.test/profile", .text("new")))
    #expect(try await stage.client.send(shared).text == "2")
    gate.open()
    #expect(try await early.value.text == "1")
    #expect(try await joined.value.text == "1")
  }

  @Test func `the log remembers a bounded number of names, and forgets none of the changes`() {
    let log = InvalidationLog()
    #expect(log.lastChange { [.url("x")] } == 0)
    log.note([.url("x")])
    let begun = log.now
    #expect(!log.isChanged(.url("x"), since: begun))
    for number in 0..<5000 { log.note([.url("\(number)")]) }
    #expect(log.isChanged(.url("x"), since: begun), "counts as changed")
    #expect(log.isChanged(.key("y"), since: begun))
    #expect(!log.isChanged(.key("y"), since: log.now))
  }
}
