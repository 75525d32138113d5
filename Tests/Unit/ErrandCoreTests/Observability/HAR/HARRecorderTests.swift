import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore
@testable import ErrandObservability

@Suite(.timeLimit(.minutes(1))) struct HARRecorderTests {
  private let folder: TemporaryFolder
  private var file: URL { folder.file("calls.har") }

  init() throws { folder = try TemporaryFolder() }

  private func stage(
    bodyLimit: Int = 1000, _ handler: @escaping StubTransport.Handler
  ) throws -> Stage {
    let recorder = try HARRecorder(file: file, bodyLimit: bodyLimit)
    return Stage(
      configured: {
        $0.listeners = [recorder]
        $0.retry = .attempts(2)
      }, handler)
  }

  private func entries() throws -> [[String: Any]] {
    let data = try Data(contentsOf: file)
    #expect(HARSchema.problems(of: data).isEmpty, "\(HARSchema.problems(of: data))")
    return HARSchema.entries(of: data)
  }

  private func value(_ entry: [String: Any], _ path: String) -> Any? {
    path.split(separator: ".").reduce(entry as Any?) { ($0 as? [String: Any])?[String($1)] }
  }

  @Test func `each attempt and each redirect is an entry`() async throws {
    let stage = try stage { request in
      switch request.index {
      case 0: .response(status: 503, fields: ["Retry-After": "1"], body: "busy")
      case 1: .response(status: 302, fields: ["Location": "/there"])
      default: .response(fields: ["Content-Type": "text/plain"], body: "hello")
      }
    }
    let call = stage.client.start(.get("http://a.test/x?a=1&b").priority(.userInitiated))
    await stage.reachSleep(of: .seconds(1))
    await stage.clock.advance(by: .seconds(1))
    _ = try await call.value
    let entries = try entries()
    #expect(entries.map { value($0, "response.status") as? Int } == [503, 302, 200])
    #expect(entries.map { value($0, "_errand.attempt") as? Int } == [1, 2, 2])
    #expect(entries.map { value($0, "_errand.redirects") as? Int } == [0, 0, 1])
    #expect(value(entries[0], "_errand.retryAfter") as? Double == 1000)
    #expect(value(entries[0], "_errand.retry") as? String != nil)
    #expect(value(entries[1], "response.redirectURL") as? String == "http://a.test/there")
    #expect(value(entries[2], "response.content.text") as? String == "hello")
    #expect(value(entries[2], "_priority") as? String == "High")
    let query = value(entries[0], "request.queryString") as? [[String: String]]
    #expect(query == [["name": "a", "value": "1"], ["name": "b", "value": ""]])
  }

  @Test func `no secret of a relative URL is recorded`() async throws {
    let stage = try stage { _ in
      .response(
        status: 201,
        fields: [
          "Location": "/next?token=MARK", "Content-Location": "/next?token=MARK",
          "X-Next": "/next?token=MARK",
          "HX-Redirect": "next?page=2#token=MARK", "Link": "</next?token=MARK>; rel=next",
          "Content-Type": "application/json",
        ],
        body: #"{"next" : "/items?token=MARK", "page" : "/items?page=2"}"#)
    }
    _ = try await stage.client.send(.post("http://a.test/").field("Referer", "/a?token=MARK"))
    let entry = try #require(try entries().first)
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("MARK"))
    #expect(
      value(entry, "response.content.text") as? String == #"{"next" : "***", "page" : "/items?page=2"}"#)
  }

  @Test func `a second attempt has an entry, and the first one says that it lost`() async throws {
    let stage = try stage { request in
      request.index == 130 ? .response(body: "first").after(.seconds(5)) : .response(body: "second")
    }
    let request = Request.get("http://a.test/").hedged(after: .seconds(1))
    for _ in 0..<130 { try await stage.client.send(request) }
    let response = try await stage.clock.run { try await stage.client.send(request) }
    #expect(response.text == "second")
    await stage.expectNothingLeft()
    let last = try Array(entries().dropFirst(130))
    #expect(last.map { value($0, "_errand.purpose") as? String } == ["caller", "hedge"])
    #expect(last.map { value($0, "response.status") as? Int } == [0, 200])
    let error = value(last[0], "response._error") as? String
    #expect(error == "cancelled: another attempt got a response first")
    #expect(value(last[0], "time") as? Double == 1000)
    #expect(value(last[1], "response.content.text") as? String == "second")
  }

  @Test func `bodies are recorded up to the limit, as text or in base64, without secrets`() async throws {
    let stage = try stage(bodyLimit: 8) { request in
      request.path == "/bytes"
        ? .response(body: Data([0xFF, 0, 1])) : .response(body: "0123456789")
    }
    try await stage.client.send(.post("http://a.test/", .form(["password": "abc"])))
    try await stage.client.send(.get("http://a.test/bytes"))
    let entries = try entries()
    #expect(value(entries[0], "request.postData.text") as? String == "password")
    #expect(value(entries[0], "response.content.text") as? String == "01234567")
    #expect(value(entries[0], "response.content.size") as? Int == 10)
    #expect(value(entries[0], "response.content.comment") as? String == "the first 8 bytes")
    #expect(value(entries[1], "response.content.encoding") as? String == "base64")
    #expect(value(entries[1], "response.content.text") as? String == "/wAB")
  }

  @Test func `a stream is recorded at its end, a failure and a cancellation with their reasons`()
    async throws
  {
    let streamed = String(repeating: "s", count: 2 << 20)
    let stage = try stage { request in
      switch request.path {
      // More than the buffer holds, so that the body does not end before its reader reads.
      case "/stream": .response(chunks: [Data(streamed.utf8), Data("end".utf8)])
      case "/lost": .fail(.connectionLost, message: "lost it")
      default: .stall
      }
    }
    let response = try await stage.client.stream(.get("http://a.test/stream"))
    #expect(try entries().isEmpty)
    _ = try await response.chunks.readAll()
    _ = try? await stage.client.send(.get("http://a.test/lost").bestEffort())
    let call = stage.client.start(.get("http://a.test/stalled"))
    try await stage.stub.waitForRequests(3)
    call.cancel()
    _ = await call.result
    await stage.expectNothingLeft()
    let entries = try entries()
    #expect(value(entries[0], "response.content.text") as? String == String(streamed.prefix(1000)))
    #expect(value(entries[0], "response.content.size") as? Int == streamed.count + 3)
    #expect(value(entries[1], "response._error") as? String == "lost it")
    #expect(value(entries[1], "response.status") as? Int == 0)
    #expect((value(entries[2], "response._error") as? String)?.contains("cancelled") == true)
  }

  @Test func `a redirect that is not followed names its target`() async throws {
    let stage = try stage { _ in .response(status: 302, fields: ["Location": "/there"]) }
    _ = try? await stage.client.send(
      .get("http://a.test/").redirects(RedirectPolicy(limit: 0)).acceptingAnyStatus())
    _ = try? await stage.client.send(.get("http://a.test/").redirects(RedirectPolicy(limit: 1)).bestEffort())
    let entries = try entries()
    #expect(
      entries.map { value($0, "response.redirectURL") as? String } == [
        "/there", "http://a.test/there", "/there",
      ])
    #expect(entries.allSatisfy { value($0, "response.status") as? Int == 302 })
  }

  @Test func `a response whose body fails has its status and its fields`() async throws {
    let stage = try stage { request in
      var fields: HTTPFields = ["X-A": "b", "Set-Cookie": "c=MARK", "Content-Type": "text/plain"]
      // More than arrives.
      if request.path == "/lost" { fields["Content-Length"] = "2000" }
      return .response(fields: fields, body: String(repeating: "x", count: 1000))
    }
    _ = try? await stage.client.send(.get("http://a.test/large").memoryLimit(10))
    _ = try? await stage.client.send(.get("http://a.test/lost").bestEffort())
    let entries = try entries()
    #expect(entries.count == 2)
    for entry in entries {
      #expect(value(entry, "response.status") as? Int == 200)
      let fields = value(entry, "response.headers") as? [[String: String]]
      #expect(fields?.contains(["name": "X-A", "value": "b"]) == true)
      #expect(value(entry, "response.content.comment") as? String == "not recorded")
      #expect((value(entry, "response._error") as? String)?.isEmpty == false)
    }
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("MARK"))
  }

  @Test func `a call that shares a response from the cache has no entry`() async throws {
    let stage = try stage { _ in .response(body: "one") }
    let request = Request.get("http://a.test/shared").cached(as: "one")
    try await stage.client.send(request)
    for _ in 0..<2 { try await stage.client.send(request.shared(within: .seconds(60))) }
    let entries = try entries()
    // The first is that of the request, and the second that of the call that found its response in the cache.
    #expect(entries.count == 2)
    #expect(value(entries[1], "_errand.purpose") as? String == "sharing")
    #expect(entries[1]["_fromCache"] as? String == "memory")
  }

  @Test func `a response from the cache is an entry, and the entry of a shared request names its callers`()
    async throws
  {
    let gate = StubGate()
    let stage = try stage { request in
      request.path == "/shared" ? .response(body: "one").behind(gate) : .response(body: "cached")
    }
    let request = Request.get("http://a.test/shared").shared()
    let first = stage.client.start(request)
    // They join in this order.
    try await stage.reachSharing(1, request)
    let calls = [first, stage.client.start(request)]
    try await stage.reachSharing(2, request)
    gate.open()
    for call in calls { _ = try await call.value }
    for _ in 0..<2 { try await stage.client.send(.get("http://a.test/cached").cached(as: "c")) }
    let entries = try entries()
    #expect(value(entries[0], "_errand.sharedBy") as? [UInt64] == calls.map(\.id.number))
    #expect(entries.count == 3)
    #expect(entries[1]["_fromCache"] == nil)
    #expect(entries[2]["_fromCache"] as? String == "memory")
    #expect(value(entries[2], "_errand.attempt") as? Int == 0)
  }
}
