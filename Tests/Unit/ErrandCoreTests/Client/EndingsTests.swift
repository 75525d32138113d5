import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A call leaves nothing behind, however it ends.
@Suite struct EndingsTests {
  private struct Throws: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      if request.lastComponent == "interceptorThrows" { throw Ending.Thrown() }
      return try await next(request.field("X-First", next.attempt == 1 ? "1" : ""))
    }
  }

  private func stage(_ responses: any ResponseCache = MemoryResponseCache()) -> Stage {
    Stage(
      configured: {
        $0.limits.total = 2
        $0.attemptInterceptors = [Throws()]
        $0.cache = responses
      }, { Ending.step($0) })
  }

  @Test(arguments: Ending.allCases)
  func `a call leaves no slot, no place in a scope and no activity behind`(ending: Ending) async throws {
    let stage = stage()
    let (scope, activity) = (RequestScope("all"), RequestActivity("Loading", clock: stage.clock))
    let folder = try CacheTestFolder()
    let leash = await leash { leash in
      await ending.reach(stage, scope, folder.url.appending(path: "file")) {
        $0.activity(activity).held(by: leash)
      }
    }
    if ending.overtakesInterceptors { await stage.reachEnd(of: leash) }
    await stage.expectNothingLeft()
    #expect(scope.count == 0)
    #expect(activity.count == 0)
    await stage.settle()
  }

  @Test(arguments: Ending.allCases)
  func `a call that has ended does not retain its request`(ending: Ending) async throws {
    let stage = stage()
    let folder = try CacheTestFolder()
    let file = folder.url.appending(path: "file")
    let leash = await leash { [scope = RequestScope("all")] leash in
      await ending.reach(stage, scope, file) { $0.held(by: leash) }
    }
    await stage.reachEnd(of: leash)
    await stage.expectNothingLeft()
  }

  private func leash(_ work: (Leash) async -> Void) async -> WeakBox<Leash> {
    let leash = Leash()
    await work(leash)
    return WeakBox(object: leash)
  }

  @Test func `the client's state is the same before and after a thousand requests of every kind`()
    async throws
  {
    let stage = stage()
    let folder = try CacheTestFolder()
    let scope = RequestScope("all")
    let leash = await leash { leash in
      for round in 0..<30 {
        for ending in Ending.allCases {
          await ending.reach(stage, scope, folder.url.appending(path: "\(round)")) { $0.held(by: leash) }
        }
        await stage.clock.advance(by: .seconds(10))
      }
    }
    await stage.reachEnd(of: leash)
    await stage.expectNothingLeft()
    #expect(scope.count == 0)
  }

  @Test func `a released client is deallocated, with everything that it remembers`() async throws {
    let clock = VirtualClock()
    let pipeline = await {
      var configuration = ClientConfiguration()
      configuration.clock = clock
      let client = Client(transport: StubTransport([.response()]), configuration: configuration)
      _ = try? await client.send(.get("http://a.test/").shared(within: .seconds(60)))
      _ = try? await client.send(.get("http://a.test/").ignoringRepeats(within: .seconds(60)))
      return WeakBox(object: client.pipeline)
    }()
    while pipeline.object != nil { await Task.yield() }
    while clock.sleepers > 0 { await Task.yield() }
  }

  @Test func `a call that has ended does not retain the calls that it waited for`() async throws {
    let stage = stage()
    var last = stage.client.start(.get("http://a.test/answered"))
    let first = WeakBox(object: last)
    for _ in 0..<20 {
      last = stage.client.start(.get("http://a.test/answered").after(last))
      _ = try await last.value
    }
    while first.object != nil { await Task.yield() }
    #expect(last.description == "GET http://a.test/answered")
  }

  @Test func `a call that has ended does not retain its activity`() async throws {
    let stage = stage()
    func start() -> (Call, WeakBox<RequestActivity>) {
      let activity = RequestActivity("Loading", clock: stage.clock)
      return (
        stage.client.start(.get("http://a.test/answered").activity(activity)), WeakBox(object: activity)
      )
    }
    let (call, weak) = start()
    _ = try await call.value
    while weak.object != nil { await Task.yield() }
    #expect(call.outcome != nil)
  }
}

extension Request {
  fileprivate func held(by leash: Leash) -> Request { validate { _ in withExtendedLifetime(leash) {} } }
}

extension Stage {
  /// Returns when the request is released. An interceptor may retain the request after its call has ended: a
  /// task that had not started by then still takes a slot, and only then finds that no caller waits.
  fileprivate func reachEnd(of leash: WeakBox<Leash>) async {
    await settle()
    while leash.object != nil { await Task.yield() }
  }
}
