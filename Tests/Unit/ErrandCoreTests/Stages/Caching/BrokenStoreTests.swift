import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

/// A failing cache behaves like an empty one.
@Suite struct BrokenStoreTests {
  private let told = Tally()
  private let stage: Stage
  private let request = Request.get("http://a.test/feed").bestEffort()

  init() {
    stage = Stage.configured { [told] in
      $0.cache = BrokenStore()
      $0.onCacheFailure = { error in if error is BrokenStore.Broken { told.add() } }
    }.responding { request in
      request.fields.contains("X-Fail") ? .fail(.cannotConnect) : .response(body: "response")
    }
  }

  @Test(arguments: [
    CachePolicy.networkOnly, .first, .staleWhileRevalidate, .staleIfError, .maxAge(.seconds(9)),
  ])
  func `a request continues when the cache fails, and the failure is reported`(policy: CachePolicy)
    async throws
  {
    for request in [request, request.bearer("a")] {
      let before = told.count
      #expect(try await stage.client.send(request.cached(as: "feed", policy)).text == "response")
      await stage.expectNothingLeft()
      #expect(told.count > before)
    }
  }

  @Test func `the outcome without a cached response is the network's error`() async throws {
    let failing = request.field("X-Fail", "1").cached(as: "feed", .staleIfError)
    #expect(await stage.client.start(failing).result.requestError?.code == .cannotConnect)
    #expect(told.count == 1)
  }

  @Test func `a sequence of responses still delivers the network's response`() async throws {
    var texts: [String] = []
    for try await response in stage.client.responses(to: request.cached(as: "feed")) {
      texts.append(response.text)
    }
    #expect(texts == ["response"])
    #expect(told.count == 2)
  }

  @Test func `an explicit read finds nothing, and an explicit removal throws`() async throws {
    #expect(try await stage.client.cachedResponse(to: request.cached(as: "feed")) == nil)
    await #expect(throws: BrokenStore.Broken.self) {
      try await stage.client.removeCachedResponse(to: request.cached(as: "feed"))
    }
  }
}
