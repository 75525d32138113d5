import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// However a call ends, nothing of it is left.
@Suite struct EndingsTests {
  private struct Throws: Interceptor {
    func intercept(_ request: Request, next: Next) async throws -> Response {
      if request.lastComponent == "interceptorThrows" { throw Ending.Thrown() }
      return try await next(request.field("X-First", next.attempt == 1 ? "1" : ""))
    }
  }

  private func stage(_ answers: any AnswerStore = MemoryAnswerStore()) -> Stage {
    Stage(
      configured: {
        $0.limits.total = 2
        $0.attemptInterceptors = [Throws()]
        $0.answers = answers
      }, { Ending.step($0) })
  }

  @Test(arguments: Ending.allCases)
  func `no slot, no place, no activity is left`(ending: Ending) async throws {
    let stage = stage()
    let (scope, activity) = (RequestScope("all"), Activity("Loading", clock: stage.clock))
    let folder = try AnswerTestFolder()
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
  func `nothing holds on to the request`(ending: Ending) async throws {
    let stage = stage()
    let folder = try AnswerTestFolder()
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

  @Test func `after a thousand requests of every kind the client is as it was`() async throws {
    let stage = stage()
    let folder = try AnswerTestFolder()
    let scope = RequestScope("all")
    let leash = await leash { leash in
      for round in 0..<30 {
        for ending in Ending.allCases {
          await ending.reach(stage, scope, folder.url.appending(path: "\(round)")) { $0.held(by: leash) }
        }
        stage.clock.advance(by: .seconds(10))
      }
    }
    await stage.reachEnd(of: leash)
    await stage.expectNothingLeft()
    #expect(scope.count == 0)
  }

  @Test func `a client that is let go goes, with all that it remembers`() async throws {
    let clock = VirtualClock()
    let pipeline = await {
      var configuration = ClientConfiguration()
      configuration.clock = clock
      let client = Client(transport: StubTransport([.answer()]), configuration: configuration)
      _ = try? await client.send(.get("http://a.test/").shared(within: .seconds(60)))
      _ = try? await client.send(.get("http://a.test/").ignoringRepeats(within: .seconds(60)))
      return WeakBox(object: client.pipeline)
    }()
    while pipeline.object != nil { await Task.yield() }
    while clock.sleepers > 0 { await Task.yield() }
  }

  @Test func `a call that has ended holds nothing of those it waited for`() async throws {
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

  @Test func `a call that has ended holds no activity`() async throws {
    let stage = stage()
    func start() -> (Call, WeakBox<Activity>) {
      let activity = Activity("Loading", clock: stage.clock)
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
  /// Returns when nothing has the request any more. Interceptors may, though their call has ended: one whose task had not
  /// even begun still takes a slot, to find then that nobody waits.
  fileprivate func reachEnd(of leash: WeakBox<Leash>) async {
    await settle()
    while leash.object != nil { await Task.yield() }
  }
}
