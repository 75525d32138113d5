import ErrandTesting
import Testing

@testable import ErrandCore

/// Sharing combined with caching and dependencies.
@Suite struct SharedStagesTests {
  @Test func `callers that share a cached request all get the response, which is cached once`() async throws {
    let gate = StubGate()
    let stage = Stage { .response(body: "response \($0.index)").behind(gate) }
    let request = Request.get("http://a.test/feed").shared().cached(as: "feed")
    let calls = (0..<5).map { _ in stage.client.start(request) }
    try await stage.reachSharing(5, request)
    gate.open()
    for call in calls {
      let response = try await call.value
      #expect(response.text == "response 0")
      #expect(response.cachedAt == nil)
    }
    let kept = try await stage.client.send(request)
    #expect(kept.text == "response 0")
    #expect(kept.cachedAt != nil)
    #expect(stage.stub.requests.count == 1)
    #expect(await stage.client.pipeline.configuration.cache.entries == 1)
  }

  @Test func `a stale response is refreshed once for all callers that share it`() async throws {
    let stage = Stage { .response(body: "response \($0.index)") }
    let request = Request.get("http://a.test/feed").shared(within: .seconds(3)).cached(
      as: "feed", .staleWhileRevalidate)
    #expect(try await stage.client.send(request.cached(as: "feed", .networkOnly)).text == "response 0")
    await stage.clock.advance(by: .seconds(3))
    for _ in 0..<5 { #expect(try await stage.client.send(request).text == "response 0") }
    await stage.expectNothingLeft()
    #expect(stage.stub.requests.count == 2)
    #expect(try await stage.client.cachedResponse(to: request)?.text == "response 1")
  }

  @Test func `each caller of a shared request validates the response separately`() async throws {
    struct Refused: Error {}
    let stage = Stage { .response(fields: ["Content-Type": "text/html"], body: "response \($0.index)") }
    let request = Request.get("http://a.test/feed").shared(within: .seconds(3))
    let checked = request.validate { _ in throw Refused() }
    let typed = request.expecting(contentType: "application/json")
    #expect(try await stage.client.send(request).text == "response 0")
    #expect(await stage.client.start(checked).result.requestError?.underlying is Refused)
    #expect(await stage.client.start(typed).result.requestError?.code == .rejected)
    #expect(try await stage.client.send(request).text == "response 0")
    #expect(stage.stub.requests.count == 1)
  }

  @Test func `each caller of a shared request waits for its own dependencies`() async throws {
    let gate = StubGate()
    let stage = Stage { request in
      request.path == "/login" ? .response().behind(gate) : .response(body: "feed")
    }
    let request = Request.get("http://a.test/feed").shared(within: .seconds(3))
    let login = stage.client.start(.post("http://a.test/login"))
    let after = stage.client.start(request.after(login))
    try await stage.stub.waitForRequests(1)
    #expect(try await stage.client.send(request).text == "feed")
    #expect(after.outcome == nil)
    gate.open()
    #expect(try await after.value.text == "feed")
    #expect(stage.paths == ["/login", "/feed"])
  }

  @Test func `a caller whose dependency fails does not affect the other callers`() async throws {
    let gate = StubGate()
    let stage = Stage { request in
      request.path == "/login" ? .response(status: 403) : .response(body: "feed").behind(gate)
    }
    let request = Request.get("http://a.test/feed").shared()
    let other = stage.client.start(request)
    let login = stage.client.start(.post("http://a.test/login"))
    #expect(await stage.client.start(request.after(login)).result.requestError?.code == .dependencyFailed)
    gate.open()
    #expect(try await other.value.text == "feed")
  }

  @Test func `a call that is raised later raises all the calls that it depends on`() async throws {
    let gate = StubGate()
    let stage = Stage { _ in .response().behind(gate) }
    let first = stage.client.start(.get("http://a.test/1").priority(.background))
    let second = stage.client.start(.get("http://a.test/2").priority(.background).after(first))
    let third = stage.client.start(.get("http://a.test/3").priority(.background).after(second))
    try await stage.stub.waitForRequests(1)
    third.raisePriority(to: .userInitiated)
    gate.open()
    _ = try await third.value
    #expect([first, second].map(\.priority) == [.userInitiated, .userInitiated])
  }
}

extension ResponseCache {
  fileprivate var entries: Int? {
    get async { try? await list().count }
  }
}
