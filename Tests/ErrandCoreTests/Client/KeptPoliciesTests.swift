import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is delivered under each policy, online and offline.
@Suite struct KeptPoliciesTests {
  private let script = Script(.answer(body: "old"))
  private let stage: Stage
  private let request = Request.get("http://a.test/feed").bestEffort()
  private static let offline = StubStep.fail(.cannotConnect, reachedServer: false)

  init() { stage = Stage { [script] _ in script.now } }

  private func send(_ policy: KeepPolicy, _ change: (Request) -> Request = { $0 }) async -> (
    text: String?, isKept: Bool, error: RequestError?
  ) {
    let result = await stage.client.start(change(request.kept(as: "feed", policy))).result
    await stage.expectNothingLeft()
    return (result.text, (try? result.get().keptAt) != nil, result.requestError)
  }

  private func keep() async {
    script.now = .answer(body: "old")
    _ = await send(.networkOnly)
    stage.clock.advance(by: .seconds(5))
  }

  @Test func `online, with something kept`() async {
    for (policy, text, isKept, asks) in [
      (KeepPolicy.networkOnly, "new", false, 1), (.first, "old", true, 0), (.thenRefreshed, "old", true, 1),
      (.onFailure, "new", false, 1), (.youngerThan(.seconds(6)), "old", true, 0),
      (.youngerThan(.seconds(5)), "new", false, 1),
    ] {
      await keep()
      let before = stage.stub.requests.count
      script.now = .answer(body: "new")
      let answer = await send(policy)
      #expect(answer.text == text, "\(policy)")
      #expect(answer.isKept == isKept, "\(policy)")
      #expect(stage.stub.requests.count - before == asks, "\(policy)")
      script.now = Self.offline
      #expect(await send(.first).text == (asks == 0 ? "old" : "new"), "\(policy)")
    }
  }

  @Test func `offline, with something kept`() async {
    for (policy, text) in [
      (KeepPolicy.networkOnly, nil), (.first, "old"), (.thenRefreshed, "old"), (.onFailure, "old"),
      (.youngerThan(.seconds(6)), "old"), (.youngerThan(.seconds(5)), nil),
    ] {
      await keep()
      script.now = Self.offline
      let answer = await send(policy)
      #expect(answer.text == text, "\(policy)")
      #expect(answer.isKept == (text != nil), "\(policy)")
      #expect(answer.error?.code == (text == nil ? .cannotConnect : nil), "\(policy)")
      #expect(await send(.first).text == "old", "\(policy)")
    }
  }

  @Test func `offline, with nothing kept, every policy tells the network's error`() async {
    script.now = Self.offline
    for policy in [KeepPolicy.networkOnly, .first, .thenRefreshed, .onFailure, .youngerThan(.seconds(6))] {
      let error = await send(policy).error
      #expect(error?.code == .cannotConnect)
      #expect(error?.description.contains("GET http://a.test/feed") == true)
    }
  }

  @Test func `on failure means that the server is out of reach, not that it refused`() async {
    await keep()
    script.now = .answer(status: 503)
    #expect(await send(.onFailure).text == "old")
    script.now = .answer(status: 404)
    #expect(await send(.onFailure).error?.status == 404)
    script.now = .fail(.pinMismatch)
    #expect(await send(.onFailure).error?.code == .pinMismatch)
  }

  @Test func `a failure that is tried again is a failure only after its last try`() async {
    await keep()
    script.now = .answer(status: 503)
    let before = stage.stub.requests.count
    #expect(await send(.onFailure, { $0.triesAtOnce(3) }).text == "old")
    #expect(stage.stub.requests.count - before == 3)
  }

  @Test func `an answer that is kept says when it was, by the wall clock`() async throws {
    await keep()
    let answer = try await stage.client.send(request.kept(as: "feed"))
    let now = stage.client.pipeline.configuration.date()
    #expect(answer.keptAt.map { now.timeIntervalSince($0) } == 5)
    #expect(try await stage.client.keptAnswer(to: request.kept(as: "feed"))?.keptAt == answer.keptAt)
    try await stage.client.removeKeptAnswer(to: request.kept(as: "feed"))
    #expect(try await stage.client.keptAnswer(to: request.kept(as: "feed")) == nil)
  }

  @Test func `what is kept is checked like what comes; what is refused counts as not kept`() async throws {
    struct Old: Error {}
    await keep()
    script.now = .answer(body: "new")
    let checked = request.kept(as: "feed").validate { if $0.text == "old" { throw Old() } }
    #expect(try await stage.client.keptAnswer(to: checked) == nil)
    #expect(try await stage.client.send(checked).text == "new")
    script.now = Self.offline
    let typed = request.kept(as: "feed", .onFailure).expecting(contentType: "application/json")
    #expect(await stage.client.start(typed).result.requestError?.code == .cannotConnect)
  }

  @Test func `only what is held in memory can be kept or shared`() async throws {
    for request in [request.kept(as: "feed"), request.kept(as: "feed", .onFailure), request.shared()] {
      let error = await #expect(throws: RequestError.self) { try await stage.client.stream(request) }
      #expect(error?.code == .unsupported)
    }
    #expect(stage.stub.requests.isEmpty)
    await stage.expectNothingLeft()
  }
}
