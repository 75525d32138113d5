import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

/// Every error names its request, and shows no secret.
@Suite struct NamedErrorsTests {
  private let url = "http://us:hush@a.test/path?token=hush&id=7"
  private let shown = "http://***@a.test/path?token=***&id=7"

  private func expectNamed(
    _ error: RequestError?, _ code: RequestError.Code, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let error = try #require(error, sourceLocation: location)
    #expect(error.code == code, sourceLocation: location)
    #expect(error.method == .put, sourceLocation: location)
    #expect(error.url == shown || error.url == "http://a.test/path?token=***&id=7", sourceLocation: location)
    #expect(error.description.hasPrefix("PUT http://"), sourceLocation: location)
    for text in ["\(error)", String(reflecting: error), error.message] {
      #expect(!text.contains("hush"), "\(text)", sourceLocation: location)
    }
  }

  private var request: Request { Request(.put, url).bearer("hush").bestEffort() }

  @Test func `an error quotes at most the beginning of a long URL`() async throws {
    let long = String(repeating: "a", count: 20_000)
    let stage = Stage { request in
      request.path == "/redirect"
        ? .response(status: 302, fields: ["Location": "ftp://a.test/\(long)"])
        : .fail(.invalidResponse, reachedServer: true)
    }
    let client = stage.client
    for url in [
      "http://a.test/\(long)", "http://u:hush@a.test/?\(long)", "relative/\(long)", "\(long):x",
      "http://\(long) /",
      "http://a.test/redirect",
    ] {
      let call = client.start(.get(url))
      let error = await call.result.requestError
      for text in ["\(call)", "\(Request.get(url))", error?.url ?? "", error.debugDescription] {
        #expect(!text.contains("hush") && text.utf8.count < 2000, "\(text.prefix(100))")
      }
      #expect(error?.url?.hasPrefix(url.prefix(5)) == true)
    }
  }

  @Test func `an error from any stage names its request`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits.total = 1 }.responding { request in
      request.path == "/path" ? .response(status: 404) : .response().behind(gate)
    }
    let client = stage.client
    func error(_ request: Request, in scope: RequestScope? = nil) async -> RequestError? {
      await client.start(request, in: scope).result.requestError
    }
    try expectNamed(await error(request), .rejected)
    try expectNamed(await error(request.shared()), .rejected)
    try expectNamed(await error(request.cached(as: "kept", .staleIfError)), .rejected)
    try expectNamed(await error(request.ignoringRepeats()), .rejected)
    try expectNamed(await error(request.ignoringRepeats()), .ignoredRepeat)
    let failing = client.start(request)
    try expectNamed(await error(request.after(failing)), .dependencyFailed)
    try expectNamed(
      await #expect(throws: RequestError.self) { try await client.stream(request.shared()) }, .unsupported)
    let ended = RequestScope("page")
    ended.end()
    try expectNamed(await error(request, in: ended), .cancelled)
    let sent = stage.stub.requests.count
    let first = client.start(.get("http://a.test/slow"))
    try await stage.stub.waitForRequests(sent + 1)
    for request in [request, request.shared(), request.cached(as: "kept", .staleIfError)] {
      let waiting = client.start(request)
      await stage.reachWaiting(1)
      waiting.cancel()
      try expectNamed(await waiting.result.requestError, .cancelled)
      let late = client.start(request.deadline(.seconds(1)))
      await stage.reachWaiting(1)
      await stage.reachSleep(of: .seconds(1))
      await stage.clock.advance(by: .seconds(1))
      try expectNamed(await late.result.requestError, .deadlineExceeded)
    }
    let old = client.start(request.latest())
    let new = client.start(request.latest())
    try expectNamed(await old.result.requestError, .cancelled)
    gate.open()
    _ = await (first.result, new.result)
    await client.shutdown()
    try expectNamed(await error(request), .cancelled)
  }

  @Test func `callers of a shared request get errors that name their own requests`() async throws {
    let gate = StubGate()
    let stage = Stage { _ in .response(status: 404).behind(gate) }
    let one = Request.get("http://a.test/one").shared(key: "both")
    let other = Request.get("http://a.test/other").shared(key: "both")
    let calls = [stage.client.start(one), stage.client.start(other)]
    try await stage.reachSharing(2, one)
    gate.open()
    for (call, name) in zip(calls, ["one", "other"]) {
      #expect(await call.result.requestError?.url == "http://a.test/\(name)")
    }
  }

  @Test func `an error of a request that an interceptor sent names that request`() async throws {
    let interceptor = SendsBefore("/data") { .post("http://a.test/token") }
    interceptor.gate.open()
    let stage = Stage.configured { $0.interceptors = [interceptor] }.responding { _ in .response(status: 403)
    }
    interceptor.client.withLock { $0 = stage.client }
    let error = await stage.client.start(.get("http://a.test/data")).result.requestError
    #expect(error?.description.hasPrefix("POST http://a.test/token:") == true)
    interceptor.client.withLock { $0 = nil }
  }
}
