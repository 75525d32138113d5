import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The newest call supersedes older ones, whatever kind of request they make.
@Suite struct LatestStagesTests {
  private func request(_ path: String) -> Request { Request.get("http://a.test/\(path)").latest("search") }

  @Test func `exactly the last of a thousand calls in a row gets a response`() async throws {
    let gate = StubGate()
    let stage = Stage { .response(body: $0.path).behind(gate) }
    let calls = (1...1000).map { stage.client.start(request("\($0)")) }
    gate.open()
    for call in calls.dropLast() {
      #expect(await call.result.requestError?.cancellation == .superseded)
    }
    #expect(try await calls.last?.value.text == "/1000")
    await stage.expectNothingLeft()
    #expect(stage.client.pipeline.coalescing.states.isEmpty)
  }

  @Test func `a stream can be superseded until its last byte has arrived`() async throws {
    let stage = Stage { _ in .response(chunks: [ByteStream.largeChunk, ByteStream.largeChunk]) }
    let older = try await stage.client.stream(request("old"))
    var chunks = older.chunks.makeAsyncIterator()
    _ = try await chunks.next()
    let newer = try await stage.client.stream(request("new"))
    let error = await #expect(throws: RequestError.self) { while try await chunks.next() != nil {} }
    #expect(error?.cancellation == .superseded)
    #expect(try await newer.chunks.readAll() == 2 << 20)
    _ = try await stage.client.send(request("newest"))
    await stage.expectNothingLeft()
    #expect(stage.client.pipeline.coalescing.states.isEmpty)
  }

  @Test func `a stream that was read to its end is not superseded`() async throws {
    let stage = Stage { _ in .response(body: "all of it") }
    let older = try await stage.client.stream(request("old"))
    #expect(try await older.chunks.readAll() == 9)
    #expect(stage.client.pipeline.coalescing.states.isEmpty)
    #expect(try await stage.client.send(request("new")).status == 200)
  }

  @Test func `a download that another call supersedes does not touch the file`() async throws {
    let folder = try CacheTestFolder()
    let file = folder.url.appending(path: "file")
    let gate = StubGate()
    let stage = Stage { request in
      request.path == "/old" ? .response(body: "old").behind(gate) : .response(body: "new")
    }
    let old = Task { try await stage.client.download(request("old"), to: file) }
    try await stage.stub.waitForRequests(1)
    try await stage.client.download(request("new"), to: file)
    let error = await #expect(throws: RequestError.self) { try await old.value }
    #expect(error?.cancellation == .superseded)
    #expect(try String(contentsOf: file, encoding: .utf8) == "new")
    await stage.expectNothingLeft()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
  }

  @Test(arguments: 1...10)
  func `a resumable download leaves its partial file to the download that supersedes it`(round: Int)
    async throws
  {
    let folder = try CacheTestFolder()
    let file = folder.url.appending(path: "file")
    let gate = StubGate()
    let stage = Stage { request in
      request.path == "/old" ? .response(body: "old").behind(gate) : .response(body: "new")
    }
    let old = Task { try await stage.client.download(request("old"), to: file, resume: true) }
    try await stage.stub.waitForRequests(1)
    try await stage.client.download(request("new"), to: file, resume: true)
    await #expect { try await old.value } throws: { $0.isCancellation }
    #expect(try String(contentsOf: file, encoding: .utf8) == "new")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
  }

  @Test(arguments: 1...10)
  func `a download that restarts right after a cancellation continues with the partial file`(round: Int)
    async throws
  {
    let folder = try CacheTestFolder()
    let file = folder.url.appending(path: "file")
    let gate = StubGate()
    let stage = Stage { $0.index == 0 ? .response(body: "old").behind(gate) : .response(body: "new") }
    let plain = Request.get("http://a.test/file")
    let first = Task { try await stage.client.download(plain, to: file, resume: true) }
    try await stage.stub.waitForRequests(1)
    // No other download may write to the file while the first one runs.
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.download(plain, to: file, resume: true)
    }
    #expect(error?.code == .fileUnwritable)
    first.cancel()
    try await stage.client.download(plain, to: file, resume: true)
    #expect(try String(contentsOf: file, encoding: .utf8) == "new")
    await #expect { try await first.value } throws: { $0.isCancellation }
  }

  @Test func `a call that waits for a slot is superseded and never sent`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits.total = 1 }.responding { request in
      request.path == "/first" ? .response().behind(gate) : .response()
    }
    let first = stage.client.start(.get("http://a.test/first"))
    try await stage.stub.waitForRequests(1)
    let old = stage.client.start(request("old"))
    await stage.reachWaiting(1)
    let new = stage.client.start(request("new"))
    #expect(await old.result.requestError?.cancellation == .superseded)
    gate.open()
    _ = try await (first.value, new.value)
    #expect(stage.paths == ["/first", "/new"])
  }

  @Test func `a call that waits for its next attempt is superseded`() async throws {
    let stage = Stage { request in
      request.path == "/old" ? .response(status: 503, fields: ["Retry-After": "9"]) : .response()
    }
    let old = stage.client.start(request("old"))
    try await stage.clock.waitForSleepers(1)
    _ = try await stage.client.send(request("new"))
    #expect(await old.result.requestError?.cancellation == .superseded)
    #expect(stage.paths == ["/old", "/new"])
    #expect(stage.clock.sleepers == 0)
  }
}
