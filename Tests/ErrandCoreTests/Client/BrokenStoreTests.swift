import ErrandTesting
import Testing

@testable import ErrandCore

/// A store that fails is as good as an empty one.
@Suite struct BrokenStoreTests {
  private let told = Tally()
  private let stage: Stage
  private let request = Request.get("http://a.test/feed").bestEffort()

  init() {
    stage = Stage.configured { [told] in
      $0.answers = BrokenStore()
      $0.onAnswerStoreFailure = { error in if error is BrokenStore.Broken { told.add() } }
    }.answering { request in
      request.fields.contains("X-Fail") ? .fail(.cannotConnect) : .answer(body: "answer")
    }
  }

  @Test(arguments: [
    KeepPolicy.networkOnly, .first, .thenRefreshed, .onFailure, .youngerThan(.seconds(9)),
  ])
  func `the request goes on, and the failure is told`(policy: KeepPolicy) async throws {
    for request in [request, request.bearer("a")] {
      let before = told.count
      #expect(try await stage.client.send(request.kept(as: "feed", policy)).text == "answer")
      await stage.expectNothingLeft()
      #expect(told.count > before)
    }
  }

  @Test func `without an answer to fall back on, the network's error is the outcome`() async throws {
    let failing = request.field("X-Fail", "1").kept(as: "feed", .onFailure)
    #expect(await stage.client.start(failing).result.requestError?.code == .cannotConnect)
    #expect(told.count == 1)
  }

  @Test func `answers that are asked for one after the other still come`() async throws {
    var texts: [String] = []
    for try await answer in stage.client.answers(to: request.kept(as: "feed")) { texts.append(answer.text) }
    #expect(texts == ["answer"])
    #expect(told.count == 2)
  }

  @Test func `what is done by hand tells its failure itself`() async throws {
    #expect(try await stage.client.keptAnswer(to: request.kept(as: "feed")) == nil)
    await #expect(throws: BrokenStore.Broken.self) {
      try await stage.client.removeKeptAnswer(to: request.kept(as: "feed"))
    }
  }
}
