import ErrandTesting
import Testing

@testable import ErrandCore

/// Only a request that may have been sent opens a window in which repeats are ignored.
@Suite(.timeLimit(.minutes(1))) struct UnsentRepeatsTests {
  private let tap = Request.post("http://a.test/like").ignoringRepeats().bestEffort()

  private func code(_ request: Request, _ stage: Stage) async -> RequestError.Code? {
    do {
      _ = try await stage.client.send(request)
      return nil
    } catch {
      return (error as? RequestError)?.code
    }
  }

  @Test func `a request that reached no server opens no window`() async throws {
    let stage = Stage { $0.index == 0 ? .fail(.cannotConnect, reachedServer: false) : .response() }
    #expect(await code(tap, stage) == .cannotConnect)
    #expect(await code(tap, stage) == nil)
    #expect(await code(tap, stage) == .ignoredRepeat)
  }

  @Test func `a request that may have reached the server keeps its window`() async throws {
    let stage = Stage { _ in .fail(.connectionLost, reachedServer: true) }
    #expect(await code(tap, stage) == .connectionLost)
    #expect(await code(tap, stage) == .ignoredRepeat)
  }

  @Test func `a request with a single attempt that may have reached the server keeps its window`()
    async throws
  {
    let stage = Stage {
      $0.index == 0
        ? .fail(.connectionLost, reachedServer: true) : .fail(.cannotConnect, reachedServer: false)
    }
    let put = Request.put("http://a.test/like", .none).ignoringRepeats().attemptsAtOnce(2)
    #expect(await code(put, stage) == .cannotConnect)
    #expect(await code(put, stage) == .ignoredRepeat)
  }

  @Test func `a request that is cancelled while it waits for a slot opens no window`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits.total = 1 }.responding { _ in .response().behind(gate) }
    let first = stage.client.start(.get("http://a.test/first"))
    try await stage.stub.waitForRequests(1)
    let waiting = stage.client.start(tap)
    await stage.reachWaiting(1)
    waiting.cancel()
    _ = await waiting.result
    gate.open()
    _ = try await first.value
    #expect(await code(tap, stage) == nil)
  }

  @Test func `a request that an interceptor refused opens no window`() async throws {
    struct Refuses: Interceptor {
      struct Refused: Error {}
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response { throw Refused() }
    }
    let stage = Stage.configured { $0.interceptors = [Refuses()] }.responding { _ in .response() }
    for _ in 0..<2 { await #expect(throws: Refuses.Refused.self) { try await stage.client.send(tap) } }
  }

  @Test func `a window that lasts until its request has failed ends at the failure`() async throws {
    let stage = Stage { $0.index == 0 ? .response(status: 500) : .response() }
    let tap = Request.post("http://a.test/like").ignoringRepeats(untilFailed: true).bestEffort()
    #expect(await code(tap, stage) == .rejected)
    #expect(await code(tap, stage) == nil)
    #expect(await code(tap, stage) == .ignoredRepeat)
    await stage.settle()
  }

  @Test func `a late failure does not end the window of another request`() async throws {
    let gate = StubGate()
    let stage = Stage {
      $0.index == 0 ? .fail(.cannotConnect, reachedServer: false).behind(gate) : .response()
    }
    let first = stage.client.start(tap)
    try await stage.stub.waitForRequests(1)
    await stage.clock.advance(by: .seconds(4))
    #expect(await code(tap, stage) == nil)
    gate.open()
    _ = await first.result
    #expect(await code(tap, stage) == .ignoredRepeat)
  }
}
