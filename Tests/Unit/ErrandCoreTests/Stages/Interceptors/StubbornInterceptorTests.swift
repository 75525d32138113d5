import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Interceptors that do not stop when their call does.
@Suite(.timeLimit(.minutes(1))) struct StubbornInterceptorTests {
  /// Waits for a promise that cannot be cancelled, before the request or after it.
  private final class Stubborn: Interceptor {
    let reached = Promise<Void>()
    let gate = Promise<Void>()
    let stopped = Locked<RequestError?>(nil)
    private let waitsAfter: Bool

    init(after waitsAfter: Bool = false) { self.waitsAfter = waitsAfter }

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let response = waitsAfter ? try await next(request) : nil
      reached.settle(.success(()))
      _ = await gate.settled()
      stopped.withLock { $0 = next.stopped }
      if let response { return response }
      return try await next(request)
    }
  }

  private func stage(_ interceptor: any Interceptor, aroundCall: Bool) -> Stage {
    Stage(
      configured: {
        $0.limits.total = 1
        if aroundCall { $0.interceptors = [interceptor] } else { $0.attemptInterceptors = [interceptor] }
      }, { _ in .response(chunks: [ByteStream.largeChunk, ByteStream.largeChunk]) })
  }

  private let request = Request.get("http://a.test/data?token=hush")

  @Test(arguments: [true, false])
  func `a deadline does not wait for interceptors, and interceptors can read it`(aroundCall: Bool)
    async throws
  {
    let interceptor = Stubborn()
    let stage = stage(interceptor, aroundCall: aroundCall)
    let call = stage.client.start(request.deadline(.seconds(1)))
    _ = await interceptor.reached.settled()
    await stage.reachSleep(of: .seconds(1))
    await stage.clock.advance(by: .seconds(1))
    #expect(await call.result.requestError?.code == .deadlineExceeded)
    #expect(stage.client.pipeline.inFlight.count == 0)
    interceptor.gate.settle(.success(()))
    while interceptor.stopped.withLock({ $0 }) == nil { await Task.yield() }
    #expect(interceptor.stopped.withLock { $0?.code } == .deadlineExceeded)
    await stage.expectNothingLeft()
    #expect(stage.paths.isEmpty)
  }

  /// Counts the attempts, and passes them on.
  private final class Counting: Interceptor {
    let count = Locked(0)

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      count.withLock { $0 += 1 }
      return try await next(request)
    }
  }

  /// Passes a request on after its call has ended.
  private final class Late: Interceptor {
    let reached = Promise<Void>()
    let gate = Promise<Void>()
    let thrown = Promise<RequestError?>()

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      reached.settle(.success(()))
      _ = await gate.settled()
      do {
        return try await next(request)
      } catch {
        thrown.settle(.success(error as? RequestError))
        throw error
      }
    }
  }

  @Test func `an ended call passes no stage behind an interceptor`() async throws {
    let (late, counting) = (Late(), Counting())
    let stage = Stage(
      configured: {
        $0.interceptors = [late]
        $0.attemptInterceptors = [counting]
      }, { _ in .response() })
    let call = stage.client.start(request)
    _ = await late.reached.settled()
    call.cancel()
    #expect(await call.result.requestError?.code == .cancelled)
    late.gate.settle(.success(()))
    let error = try #require(await late.thrown.settled().get())
    #expect(error.code == .cancelled)
    #expect(error.url == "http://a.test/data?token=***")
    #expect(counting.count.withLock { $0 } == 0)
  }

  @Test(arguments: [true, false])
  func `scopes, newer requests, cancelled tasks and shutdowns do not wait for interceptors`(aroundCall: Bool)
    async throws
  {
    let interceptor = Stubborn()
    let stage = stage(interceptor, aroundCall: aroundCall)
    let scope = RequestScope("page")
    let first = stage.client.start(request, in: scope)
    let second = stage.client.start(request.latest("key"))
    let task = Task { try await stage.client.send(request) }
    _ = await interceptor.reached.settled()
    scope.end()
    #expect(await first.result.requestError?.cancellation == .scopeEnded("page"))
    let third = stage.client.start(request.latest("key"))
    #expect(await second.result.requestError?.cancellation == .superseded)
    task.cancel()
    await #expect { try await task.value } throws: { $0.isCancellation }
    await stage.client.shutdown(within: .zero)
    #expect(await third.result.requestError?.cancellation == .clientShutDown)
    interceptor.gate.settle(.success(()))
  }

  @Test func `a stream that an interceptor returns too late is closed, and its slot is released`()
    async throws
  {
    let interceptor = Stubborn(after: true)
    let stage = stage(interceptor, aroundCall: false)
    let task = Task { try await stage.client.stream(request) }
    _ = await interceptor.reached.settled()
    #expect(stage.stub.inFlight == 1)
    task.cancel()
    await #expect { try await task.value } throws: { $0.isCancellation }
    interceptor.gate.settle(.success(()))
    await stage.reachIdle()
    await stage.expectNothingLeft()
  }

  /// Waits after the first response for a refresh that it sends in a detached task.
  private final class Refreshes: Interceptor {
    let client = Locked<Client?>(nil)
    private let path: String
    private let other: Request

    init(_ path: String, _ other: Request) {
      self.path = path
      self.other = other
    }

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      guard request.path == path, let client = client.withLock({ $0 }) else { return try await next(request) }
      let first = try await next(request)
      let refresh = Task.detached { [other] in try await client.send(other) }
      _ = try await refresh.value
      if case .chunks = first.body { return first }
      return try await next(request)
    }
  }

  @Test func `a request that an interceptor waits for finds a slot, whatever task started it`() async throws {
    let interceptor = Refreshes("/data", .get("http://a.test/token"))
    let stage = stage(interceptor, aroundCall: false)
    interceptor.client.withLock { $0 = stage.client }
    let calls = (0..<5).map { _ in stage.client.start(request) }
    for call in calls { _ = try await call.value }
    #expect(stage.stub.mostInFlight == 1)
    interceptor.client.withLock { $0 = nil }
  }

  @Test func `a request that an interceptor waits for finds a slot while it holds a stream`() async throws {
    let interceptor = Refreshes("/data", .get("http://a.test/token"))
    let stage = stage(interceptor, aroundCall: false)
    interceptor.client.withLock { $0 = stage.client }
    let opening = Task { try await stage.client.stream(request) }
    await stage.reachWaiting(1)
    await stage.clock.advance(by: SlotLease.patience)
    #expect(try await opening.value.chunks.readAll() == 2 << 20)
    await stage.expectNothingLeft()
    interceptor.client.withLock { $0 = nil }
  }

  @Test func `two clients whose interceptors send to each other do not wait for each other`() async throws {
    let there = Refreshes("/data", .get("http://b.test/data/b"))
    let back = Refreshes("/b", .get("http://a.test/key"))
    let (one, two) = (stage(there, aroundCall: false), stage(back, aroundCall: false))
    there.client.withLock { $0 = two.client }
    back.client.withLock { $0 = one.client }
    let calls = (0..<4).flatMap { _ in
      [one.client.start(request), two.client.start(.get("http://b.test/b"))]
    }
    for call in calls { _ = try await call.value }
    there.client.withLock { $0 = nil }
    back.client.withLock { $0 = nil }
  }

  /// Records the failures that pass.
  private final class Looks: Interceptor {
    let seen = Locked<[String]>([])

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      do { return try await next(request) } catch {
        seen.withLock { $0.append("\(error)") }
        throw error
      }
    }
  }

  @Test(arguments: [true, false])
  func `an error that interceptors catch names the method and the URL, without secrets`(aroundCall: Bool)
    async throws
  {
    let looks = Looks()
    let stage = Stage(
      configured: {
        if aroundCall { $0.interceptors = [looks] } else { $0.attemptInterceptors = [looks] }
      }, { _ in .response(status: 404) })
    await #expect(throws: RequestError.self) { try await stage.client.send(request) }
    let seen = looks.seen.withLock { $0 }
    #expect(seen.count == 1)
    #expect(seen.first?.hasPrefix("GET http://a.test/data?token=***: ") == true)
  }
}
