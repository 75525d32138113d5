import ErrandTesting
import Foundation
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

/// A shared request that its own interceptors delay while other callers wait for it.
@Suite(.timeLimit(.minutes(1))) struct HeldSharingTests {
  private static let shared = Request.get("http://a.test/data").shared()

  /// Waits for the same shared request in a detached task, which the client cannot link to its request.
  private final class Circles: Interceptor {
    let client = Locked<Client?>(nil)
    private let asked = Locked(false)

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let isFirst = asked.withLock { value in
        defer { value = true }
        return !value
      }
      if isFirst, let client = client.withLock({ $0 }) {
        _ = try await Task.detached { try await client.send(HeldSharingTests.shared) }.value
      }
      return try await next(request)
    }
  }

  @Test(arguments: [true, false])
  func `a request that waits for itself through a detached task fails with an error that says so`(
    aroundCall: Bool
  )
    async throws
  {
    let circles = Circles()
    let stage = Stage.configured {
      if aroundCall { $0.interceptors = [circles] } else { $0.attemptInterceptors = [circles] }
    }.responding { _ in .response() }
    circles.client.withLock { $0 = stage.client }
    let call = stage.client.start(Self.shared)
    try await stage.reachSharing(2, Self.shared)
    await stage.reachSleep(of: InFlightRequest.longestHold)
    await stage.clock.advance(by: InFlightRequest.longestHold)
    let error = try #require(await call.result.requestError)
    #expect(error.code == .deadlineExceeded)
    #expect(error.description.contains("from a detached task"))
    circles.client.withLock { $0 = nil }
    await stage.expectNothingLeft()
    _ = try await stage.client.send(Self.shared)
    #expect(stage.clock.sleepers == 0)
  }

  /// Delays a request before and after it is sent.
  private final class Holds: Interceptor {
    let before = StubGate()
    let after = StubGate()

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      try await before.pass()
      let response = try await next(request)
      try await after.pass()
      return response
    }
  }

  @Test func `a request with a single caller may be delayed for any time`() async throws {
    let holds = Holds()
    let stage = Stage.configured { $0.interceptors = [holds] }.responding { _ in .response(body: "late") }
    let call = stage.client.start(Self.shared)
    try await stage.reachSharing(1, Self.shared)
    await stage.clock.advance(by: InFlightRequest.longestHold * 2)
    // The limit counts from now, because another caller waits from now on.
    let other = stage.client.start(Self.shared)
    await stage.reachSleep(of: InFlightRequest.longestHold)
    await stage.clock.advance(by: InFlightRequest.longestHold - .seconds(1))
    holds.before.open()
    holds.after.open()
    #expect(try await call.value.text == "late")
    #expect(try await other.value.text == "late")
    #expect(stage.clock.sleepers == 0)
  }

  @Test func `the limit for a delayed request does not count time in transfer`() async throws {
    let holds = Holds()
    let gate = StubGate()
    holds.before.open()
    holds.after.open()
    let stage = Stage.configured { $0.attemptInterceptors = [holds] }.responding { _ in
      .response(body: "slow").behind(gate)
    }
    let shared = Self.shared.timeout(.seconds(100_000))
    let calls = [stage.client.start(shared), stage.client.start(shared)]
    try await stage.stub.waitForRequests(1)
    for _ in 0..<3 {
      await stage.reachSleep(of: InFlightRequest.longestHold)
      await stage.clock.advance(by: InFlightRequest.longestHold)
    }
    await stage.reachSleep(of: InFlightRequest.longestHold)
    gate.open()
    for call in calls { #expect(try await call.value.text == "slow") }
  }

  /// Records whether the requests that it receives are marked as shared.
  private final class Noting: Authenticator {
    let shared = Locked<[Bool]>([])
    var authenticatesAtOnce: Bool { true }

    func authenticate(_ request: Request, with credential: Int) -> Request {
      shared.withLock { $0.append(request.options.repeats != nil) }
      return request
    }

    func refresh(_ credential: Int?, _ refresh: CredentialRefresh) -> Int { 0 }
  }

  @Test func `an authenticator that sends its request again does not wait for that same request`()
    async throws
  {
    let noting = Noting()
    let stage = Stage.configured {
      let origin = URL(string: "http://a.test")
      $0.authentication = Authentication(
        CredentialSession(noting, credential: 1), at: [origin].compactMap { $0 })
    }.responding { _ in .response() }
    try await stage.client.send(Self.shared)
    #expect(noting.shared.withLock { $0 } == [false])
  }
}
