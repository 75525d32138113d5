import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The response that each policy delivers, online and offline.
@Suite struct CachePolicyTests {
  private let script = Script(.response(body: "old"))
  private let stage: Stage
  private let request = Request.get("http://a.test/feed").bestEffort()
  private static let offline = StubStep.fail(.cannotConnect, reachedServer: false)

  init() { stage = Stage { [script] _ in script.now } }

  private func send(_ policy: CachePolicy, _ change: (Request) -> Request = { $0 }) async -> (
    text: String?, isKept: Bool, error: RequestError?
  ) {
    let result = await stage.client.start(change(request.cached(as: "feed", policy))).result
    await stage.expectNothingLeft()
    return (result.text, (try? result.get().cachedAt) != nil, result.requestError)
  }

  private func keep() async {
    script.now = .response(body: "old")
    _ = await send(.networkOnly)
    await stage.clock.advance(by: .seconds(5))
  }

  @Test func `each policy chooses online between the cached response and the network's`() async {
    for (policy, text, isKept, asks) in [
      (CachePolicy.networkOnly, "new", false, 1), (.first, "old", true, 0),
      (.staleWhileRevalidate, "old", true, 1),
      (.staleIfError, "new", false, 1), (.maxAge(.seconds(6)), "old", true, 0),
      (.maxAge(.seconds(5)), "new", false, 1),
    ] {
      await keep()
      let before = stage.stub.requests.count
      script.now = .response(body: "new")
      let response = await send(policy)
      #expect(response.text == text, "\(policy)")
      #expect(response.isKept == isKept, "\(policy)")
      #expect(stage.stub.requests.count - before == asks, "\(policy)")
      script.now = Self.offline
      #expect(await send(.first).text == (asks == 0 ? "old" : "new"), "\(policy)")
    }
  }

  @Test func `each policy delivers offline the cached responses that it allows`() async {
    for (policy, text) in [
      (CachePolicy.networkOnly, nil), (.first, "old"), (.staleWhileRevalidate, "old"), (.staleIfError, "old"),
      (.maxAge(.seconds(6)), "old"), (.maxAge(.seconds(5)), nil),
    ] {
      await keep()
      script.now = Self.offline
      let response = await send(policy)
      #expect(response.text == text, "\(policy)")
      #expect(response.isKept == (text != nil), "\(policy)")
      #expect(response.error?.code == (text == nil ? .cannotConnect : nil), "\(policy)")
      #expect(await send(.first).text == "old", "\(policy)")
    }
  }

  @Test func `every policy throws the network's error offline and without a cached response`() async {
    script.now = Self.offline
    for policy in [
      CachePolicy.networkOnly, .first, .staleWhileRevalidate, .staleIfError, .maxAge(.seconds(6)),
    ] {
      let error = await send(policy).error
      #expect(error?.code == .cannotConnect)
      #expect(error?.description.contains("GET http://a.test/feed") == true)
    }
  }

  @Test func `stale-if-error falls back when the server is unreachable, not when it refuses`() async {
    await keep()
    script.now = .response(status: 503)
    #expect(await send(.staleIfError).text == "old")
    script.now = .response(status: 404)
    #expect(await send(.staleIfError).error?.status == 404)
    script.now = .fail(.pinMismatch)
    #expect(await send(.staleIfError).error?.code == .pinMismatch)
  }

  @Test func `stale-if-error falls back only after the last attempt has failed`() async {
    await keep()
    script.now = .response(status: 503)
    let before = stage.stub.requests.count
    #expect(await send(.staleIfError, { $0.attemptsAtOnce(3) }).text == "old")
    #expect(stage.stub.requests.count - before == 3)
  }

  @Test func `a cached response has the wall-clock time at which it was cached`() async throws {
    await keep()
    let response = try await stage.client.send(request.cached(as: "feed"))
    let now = stage.client.pipeline.configuration.date()
    #expect(response.cachedAt.map { now.timeIntervalSince($0) } == 5)
    #expect(
      try await stage.client.cachedResponse(to: request.cached(as: "feed"))?.cachedAt == response.cachedAt)
    try await stage.client.removeCachedResponse(to: request.cached(as: "feed"))
    #expect(try await stage.client.cachedResponse(to: request.cached(as: "feed")) == nil)
  }

  @Test func `a cached response that fails validation counts as absent`() async throws {
    struct Old: Error {}
    await keep()
    script.now = .response(body: "new")
    let checked = request.cached(as: "feed").validate { if $0.text == "old" { throw Old() } }
    #expect(try await stage.client.cachedResponse(to: checked) == nil)
    #expect(try await stage.client.send(checked).text == "new")
    script.now = Self.offline
    let typed = request.cached(as: "feed", .staleIfError).expecting(contentType: "application/json")
    #expect(await stage.client.start(typed).result.requestError?.code == .cannotConnect)
  }

  @Test func `a streamed response cannot be cached or shared`() async throws {
    for request in [request.cached(as: "feed"), request.cached(as: "feed", .staleIfError), request.shared()] {
      let error = await #expect(throws: RequestError.self) { try await stage.client.stream(request) }
      #expect(error?.code == .unsupported)
    }
    #expect(stage.stub.requests.isEmpty)
    await stage.expectNothingLeft()
  }
}
