import ErrandTesting
import Testing

@testable import ErrandCore

/// A shared request that its own interceptors do not let go of, while others wait for it.
@Suite(.timeLimit(.minutes(1))) struct HeldFlightTests {
  private static let shared = Request.get("http://a.test/data").shared()

  /// Waits for the request that waits for it, in a way that nobody can know.
  private final class Circles: Interceptor {
    let client = Locked<Client?>(nil)
    private let asked = Locked(false)

    func intercept(_ request: Request, next: Next) async throws -> Response {
      let isFirst = asked.withLock { value in
        defer { value = true }
        return !value
      }
      if isFirst, let client = client.withLock({ $0 }) {
        _ = try await Task.detached { try await client.send(HeldFlightTests.shared) }.value
      }
      return try await next(request)
    }
  }

  @Test(arguments: [true, false])
  func `one that waits for itself by a detached task ends with an error that says so`(aroundCall: Bool)
    async throws
  {
    let circles = Circles()
    let stage = Stage.configured {
      if aroundCall { $0.interceptors = [circles] } else { $0.attemptInterceptors = [circles] }
    }.answering { _ in .answer() }
    circles.client.withLock { $0 = stage.client }
    let call = stage.client.start(Self.shared)
    try await stage.reachSharing(2, Self.shared)
    await stage.reachSleep(of: Flight.longestHold)
    stage.clock.advance(by: Flight.longestHold)
    let error = try #require(await call.result.requestError)
    #expect(error.code == .deadlineExceeded)
    #expect(error.description.contains("from a detached task"))
    circles.client.withLock { $0 = nil }
    await stage.expectNothingLeft()
    _ = try await stage.client.send(Self.shared)
    #expect(stage.clock.sleepers == 0)
  }

  /// Holds a request for a while before and after it goes on.
  private final class Holds: Interceptor {
    let before = StubGate()
    let after = StubGate()

    func intercept(_ request: Request, next: Next) async throws -> Response {
      try await before.pass()
      let response = try await next(request)
      try await after.pass()
      return response
    }
  }

  @Test func `one that nobody has joined may be held for as long as it takes`() async throws {
    let holds = Holds()
    let stage = Stage.configured { $0.interceptors = [holds] }.answering { _ in .answer(body: "late") }
    let call = stage.client.start(Self.shared)
    try await stage.reachSharing(1, Self.shared)
    stage.clock.advance(by: Flight.longestHold * 2)
    // It is held from now on for the others.
    let other = stage.client.start(Self.shared)
    await stage.reachSleep(of: Flight.longestHold)
    stage.clock.advance(by: Flight.longestHold - .seconds(1))
    holds.before.open()
    holds.after.open()
    #expect(try await call.value.text == "late")
    #expect(try await other.value.text == "late")
    #expect(stage.clock.sleepers == 0)
  }

  @Test func `what is on the wire is not held`() async throws {
    let holds = Holds()
    let gate = StubGate()
    holds.before.open()
    holds.after.open()
    let stage = Stage.configured { $0.attemptInterceptors = [holds] }.answering { _ in
      .answer(body: "slow").behind(gate)
    }
    let shared = Self.shared.timeout(.seconds(100_000))
    let calls = [stage.client.start(shared), stage.client.start(shared)]
    try await stage.stub.waitForRequests(1)
    for _ in 0..<3 {
      await stage.reachSleep(of: Flight.longestHold)
      stage.clock.advance(by: Flight.longestHold)
    }
    await stage.reachSleep(of: Flight.longestHold)
    gate.open()
    for call in calls { #expect(try await call.value.text == "slow") }
  }
}
