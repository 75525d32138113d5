import ErrandTesting
import Testing

@testable import ErrandCore

/// Sharing, together with what is kept and with what must come first.
@Suite struct SharedStagesTests {
  @Test func `those who share an answer that is kept all get it, and it is kept once`() async throws {
    let gate = StubGate()
    let stage = Stage { .answer(body: "answer \($0.index)").behind(gate) }
    let request = Request.get("http://a.test/feed").shared().kept(as: "feed")
    let calls = (0..<5).map { _ in stage.client.start(request) }
    try await stage.reachSharing(5, request)
    gate.open()
    for call in calls {
      let answer = try await call.value
      #expect(answer.text == "answer 0")
      #expect(answer.keptAt == nil)
    }
    let kept = try await stage.client.send(request)
    #expect(kept.text == "answer 0")
    #expect(kept.keptAt != nil)
    #expect(stage.stub.requests.count == 1)
    #expect(await stage.client.pipeline.configuration.answers.entries == 1)
  }

  @Test func `what is kept and then refreshed is refreshed once for all who share it`() async throws {
    let stage = Stage { .answer(body: "answer \($0.index)") }
    let request = Request.get("http://a.test/feed").shared(within: .seconds(3)).kept(
      as: "feed", .thenRefreshed)
    #expect(try await stage.client.send(request.kept(as: "feed", .networkOnly)).text == "answer 0")
    stage.clock.advance(by: .seconds(3))
    for _ in 0..<5 { #expect(try await stage.client.send(request).text == "answer 0") }
    await stage.expectNothingLeft()
    #expect(stage.stub.requests.count == 2)
    #expect(try await stage.client.keptAnswer(to: request)?.text == "answer 1")
  }

  @Test func `each who shares has its own checks`() async throws {
    struct Refused: Error {}
    let stage = Stage { .answer(fields: ["Content-Type": "text/html"], body: "answer \($0.index)") }
    let request = Request.get("http://a.test/feed").shared(within: .seconds(3))
    let checked = request.validate { _ in throw Refused() }
    let typed = request.expecting(contentType: "application/json")
    #expect(try await stage.client.send(request).text == "answer 0")
    #expect(await stage.client.start(checked).result.requestError?.underlying is Refused)
    #expect(await stage.client.start(typed).result.requestError?.code == .rejected)
    #expect(try await stage.client.send(request).text == "answer 0")
    #expect(stage.stub.requests.count == 1)
  }

  @Test func `each who shares waits for what it depends on first`() async throws {
    let gate = StubGate()
    let stage = Stage { request in
      request.path == "/login" ? .answer().behind(gate) : .answer(body: "feed")
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

  @Test func `one whose dependency fails does not disturb those who share the same`() async throws {
    let gate = StubGate()
    let stage = Stage { request in
      request.path == "/login" ? .answer(status: 403) : .answer(body: "feed").behind(gate)
    }
    let request = Request.get("http://a.test/feed").shared()
    let other = stage.client.start(request)
    let login = stage.client.start(.post("http://a.test/login"))
    #expect(await stage.client.start(request.after(login)).result.requestError?.code == .dependencyFailed)
    gate.open()
    #expect(try await other.value.text == "feed")
  }

  @Test func `those who wait for a call make it hurry, also later, and those that it waits for`() async throws
  {
    let gate = StubGate()
    let stage = Stage { _ in .answer().behind(gate) }
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

extension AnswerStore {
  fileprivate var entries: Int? {
    get async { try? await list().count }
  }
}
