import ErrandTesting
import Testing

@testable import ErrandCore

/// The errors that a caller gets for `Retry-After`.
@Suite(.timeLimit(.minutes(1))) struct RetryAfterStagesTests {
  private func stage(_ value: String, _ status: Int = 503) -> Stage {
    Stage { $0.index == 0 ? .response(status: status, fields: ["Retry-After": value]) : .response() }
  }

  private func error(_ stage: Stage, _ request: Request) async -> RequestError? {
    await stage.client.start(request).result.requestError
  }

  @Test func `a call fails at once if the server requests a longer wait than the policy allows`() async throws
  {
    let stage = stage("120.5")
    let error = try #require(await error(stage, .get("http://a.test/")))
    #expect(error.retryAfter == .seconds(121))
    #expect(
      error.message
        == "the server responded with 503 Service Unavailable, but 200 to 299 was expected; it asks to wait for 121 s "
        + "(Retry-After), but a call waits at most 60 s (RetryPolicy.maxRetryAfter)")
    #expect(error.attempt == 1)
    #expect(stage.stub.requests.count == 1)
    #expect(stage.clock.sleepers == 0)
  }

  @Test func `a call fails at once if the server requests a longer wait than the deadline allows`()
    async throws
  {
    let stage = stage("20", 429)
    let error = try #require(await error(stage, Request.get("http://a.test/").deadline(.seconds(15))))
    #expect(error.code == .rejected)
    #expect(error.retryAfter == .seconds(20))
    #expect(
      error.message.hasSuffix(
        "; it asks to wait for 20 s (Retry-After), and 15 s are left until the deadline"))
    #expect(stage.stub.requests.count == 1)
  }

  @Test func `an error contains the requested wait, even if the call is not retried for another reason`()
    async throws
  {
    for request in [Request.post("http://a.test/"), Request.get("http://a.test/").attempts(1)] {
      let error = try #require(await error(stage("2.0"), request))
      #expect(error.retryAfter == .seconds(2))
      #expect(!error.message.contains("Retry-After"))
    }
    #expect(await error(stage("soon"), .post("http://a.test/"))?.retryAfter == nil)
  }

  @Test func `a call waits as requested within the limit`() async throws {
    let stage = stage("2.0")
    let call = stage.client.start(.get("http://a.test/"))
    await stage.reachSleep(of: .seconds(2))
    await stage.clock.advance(by: .seconds(2))
    #expect(try await call.value.status == 200)
  }

  @Test func `callers that share a request all get the requested wait`() async throws {
    let stage = stage("120")
    let request = Request.get("http://a.test/").shared(within: .seconds(9))
    #expect(await error(stage, request)?.retryAfter == .seconds(120))
    #expect(await error(stage, request.accepting(100..<200))?.retryAfter == .seconds(120))
    #expect(stage.stub.requests.count == 1)
    await stage.settle()
  }
}
