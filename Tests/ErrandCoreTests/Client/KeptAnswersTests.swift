import ErrandTesting
import Testing

@testable import ErrandCore

/// What is kept, and then what the network says.
@Suite struct KeptAnswersTests {
  private let script = Script(.answer(body: "old"))
  private let stage: Stage
  private let request = Request.get("http://a.test/feed").kept(as: "feed").bestEffort()

  init() { stage = Stage { [script] _ in script.now } }

  private func answers(_ request: Request, in scope: RequestScope? = nil) async -> (
    texts: [String], error: RequestError?
  ) {
    var texts: [String] = []
    do {
      for try await answer in stage.client.answers(to: request, in: scope) {
        texts.append("\(answer.text)\(answer.keptAt == nil ? "" : ", kept")")
      }
      return (texts, nil)
    } catch {
      return (texts, error as? RequestError)
    }
  }

  @Test func `first what is kept, then the network's; the latter is kept from then on`() async throws {
    #expect(await answers(request).texts == ["old"])
    script.now = .answer(body: "new")
    #expect(await answers(request).texts == ["old, kept", "new"])
    #expect(await answers(request).texts == ["new, kept", "new"])
    await stage.expectNothingLeft()
  }

  @Test func `without a name there is only the network's`() async {
    #expect(await answers(.get("http://a.test/")).texts == ["old"])
  }

  @Test func `when the network fails, what is kept comes first, and then the error`() async throws {
    try await stage.client.send(request)
    script.now = .answer(status: 404)
    let (texts, error) = await answers(request)
    #expect(texts == ["old, kept"])
    #expect(error?.status == 404)
    await stage.expectNothingLeft()
  }

  @Test func `the network is asked at once, and called off when the reader leaves`() async throws {
    try await stage.client.send(request)
    script.now = .stall
    for try await answer in stage.client.answers(to: request) {
      #expect(answer.text == "old")
      try await stage.stub.waitForRequests(2)
      break
    }
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 1)
  }

  @Test func `a sequence that nobody reads asks nobody`() async {
    _ = stage.client.answers(to: request)
    _ = stage.client.answers(to: request).makeAsyncIterator()
    #expect(stage.stub.requests.isEmpty)
  }

  @Test func `it is called off with the task that reads, and with its scope`() async throws {
    try await stage.client.send(request)
    script.now = .stall
    let reading = Task { await answers(request) }
    try await stage.stub.waitForRequests(2)
    reading.cancel()
    #expect(await reading.value.error?.cancellation == .taskCancelled)
    let scope = RequestScope("page")
    let second = Task { await answers(request, in: scope) }
    try await stage.stub.waitForRequests(3)
    scope.end()
    let (texts, error) = await second.value
    #expect(texts == ["old, kept"])
    #expect(error?.cancellation == .scopeEnded("page"))
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 2)
  }

  @Test func `in a scope that has ended there is no answer, kept or not`() async throws {
    try await stage.client.send(request)
    let scope = RequestScope("page")
    scope.end()
    let (texts, error) = await answers(request, in: scope)
    #expect(texts.isEmpty)
    #expect(error?.cancellation == .scopeEnded("page"))
    #expect(stage.stub.requests.count == 1)
  }
}
