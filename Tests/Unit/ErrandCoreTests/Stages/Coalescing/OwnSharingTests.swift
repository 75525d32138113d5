import ErrandTesting
import Testing

@testable import ErrandCore

/// An interceptor of a shared request must not wait for the request that waits for it.
@Suite(.timeLimit(.minutes(1))) struct OwnSharingTests {
  /// Sends additional requests before the first request to a path continues.
  private final class Asks: Interceptor {
    let client = Locked<Client?>(nil)
    private let asked = Locked(Set<String>())
    private let others: @Sendable (Request) -> [Request]
    private let isDetached: Bool

    init(detached isDetached: Bool = false, _ others: @escaping @Sendable (Request) -> [Request]) {
      self.others = others
      self.isDetached = isDetached
    }

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let isFirst = asked.withLock { $0.insert(request.path ?? "").inserted }
      guard isFirst, let client = client.withLock({ $0 }) else { return try await next(request) }
      for other in others(request) {
        if isDetached {
          _ = try await Task.detached { try await client.send(other) }.value
        } else {
          _ = try await client.send(other)
        }
      }
      return try await next(request)
    }
  }

  private func stage(_ asks: Asks, aroundCall: Bool) -> Stage {
    let stage = Stage(
      configured: {
        $0.limits.total = 1
        if aroundCall { $0.interceptors = [asks] } else { $0.attemptInterceptors = [asks] }
      }, { _ in .response(body: "response") })
    asks.client.withLock { $0 = stage.client }
    return stage
  }

  private static let shared = Request.get("http://a.test/data").shared()

  @Test(arguments: [true, false])
  func `a shared request that its own interceptor sends is sent without sharing`(aroundCall: Bool)
    async throws
  {
    let asks = Asks { _ in [Self.shared] }
    let stage = stage(asks, aroundCall: aroundCall)
    #expect(try await stage.client.send(Self.shared).text == "response")
    #expect(stage.paths == ["/data", "/data"])
    asks.client.withLock { $0 = nil }
    await stage.expectNothingLeft()
  }

  @Test(arguments: [true, false])
  func `the request that an interceptor received is sent without sharing, even from a detached task`(
    aroundCall: Bool
  )
    async throws
  {
    let asks = Asks(detached: true) { [$0] }
    let stage = stage(asks, aroundCall: aroundCall)
    #expect(try await stage.client.send(Self.shared).text == "response")
    #expect(stage.paths == ["/data", "/data"])
    asks.client.withLock { $0 = nil }
    await stage.expectNothingLeft()
  }

  @Test func `two shared requests whose interceptors send each other are sent without sharing`() async throws
  {
    let other = Request.get("http://a.test/other").shared()
    let asks = Asks { $0.path == "/data" ? [other] : [Self.shared] }
    let stage = stage(asks, aroundCall: false)
    #expect(try await stage.client.send(Self.shared).text == "response")
    #expect(stage.paths == ["/data", "/other", "/data"])
    asks.client.withLock { $0 = nil }
    await stage.expectNothingLeft()
  }

  @Test func `other callers share a request that an interceptor has sent`() async throws {
    let other = Request.get("http://a.test/other").shared(within: .seconds(10))
    let asks = Asks { $0.path == "/data" ? [other] : [] }
    let stage = stage(asks, aroundCall: false)
    _ = try await stage.client.send(Self.shared)
    _ = try await stage.client.send(other)
    #expect(stage.paths == ["/other", "/data"])
    asks.client.withLock { $0 = nil }
    await stage.settle()
  }
}
