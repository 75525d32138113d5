import ErrandTesting
import Testing

@testable import ErrandCore

/// `responses(to:)` delivers the cached response first, then the network's.
@Suite struct CachingTests {
  private let script = Script(.response(body: "old"))
  private let stage: Stage
  private let request = Request.get("http://a.test/feed").cached(as: "feed").bestEffort()

  init() { stage = Stage { [script] _ in script.now } }

  private func responses(_ request: Request, in scope: RequestScope? = nil) async -> (
    texts: [String], error: RequestError?
  ) {
    var texts: [String] = []
    do {
      for try await response in stage.client.responses(to: request, in: scope) {
        texts.append("\(response.text)\(response.cachedAt == nil ? "" : ", kept")")
      }
      return (texts, nil)
    } catch {
      return (texts, error as? RequestError)
    }
  }

  @Test func `the cached response is delivered first, then the network's, which replaces it`() async throws {
    #expect(await responses(request).texts == ["old"])
    script.now = .response(body: "new")
    #expect(await responses(request).texts == ["old, kept", "new"])
    #expect(await responses(request).texts == ["new, kept", "new"])
    await stage.expectNothingLeft()
  }

  @Test func `a request without a cache name gets only the network's response`() async {
    #expect(await responses(.get("http://a.test/")).texts == ["old"])
  }

  @Test func `the cached response is delivered before the error when the network fails`() async throws {
    try await stage.client.send(request)
    script.now = .response(status: 404)
    let (texts, error) = await responses(request)
    #expect(texts == ["old, kept"])
    #expect(error?.status == 404)
    await stage.expectNothingLeft()
  }

  @Test func `the network request starts at once, and is cancelled when the reader stops reading`()
    async throws
  {
    try await stage.client.send(request)
    script.now = .stall
    for try await response in stage.client.responses(to: request) {
      #expect(response.text == "old")
      try await stage.stub.waitForRequests(2)
      break
    }
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 1)
  }

  @Test func `a sequence that is never read sends no request`() async {
    _ = stage.client.responses(to: request)
    _ = stage.client.responses(to: request).makeAsyncIterator()
    #expect(stage.stub.requests.isEmpty)
  }

  @Test func `the network request is cancelled with the reading task, and with its scope`() async throws {
    try await stage.client.send(request)
    script.now = .stall
    let reading = Task { await responses(request) }
    try await stage.stub.waitForRequests(2)
    reading.cancel()
    #expect(await reading.value.error?.cancellation == .taskCancelled)
    let scope = RequestScope("page")
    let second = Task { await responses(request, in: scope) }
    try await stage.stub.waitForRequests(3)
    scope.end()
    let (texts, error) = await second.value
    #expect(texts == ["old, kept"])
    #expect(error?.cancellation == .scopeEnded("page"))
    await stage.expectNothingLeft()
    #expect(stage.stub.cancelled == 2)
  }

  @Test func `a scope that has ended gets no response, cached or not`() async throws {
    try await stage.client.send(request)
    let scope = RequestScope("page")
    scope.end()
    let (texts, error) = await responses(request, in: scope)
    #expect(texts.isEmpty)
    #expect(error?.cancellation == .scopeEnded("page"))
    #expect(stage.stub.requests.count == 1)
  }
}
