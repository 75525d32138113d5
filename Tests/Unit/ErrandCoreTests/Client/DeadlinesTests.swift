import Dispatch
import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct DeadlinesTests {
  private let clock = VirtualClock()

  private func client(_ transport: StubTransport) -> Client {
    var configuration = ClientConfiguration()
    configuration.clock = clock
    return Client(transport: transport, configuration: configuration)
  }

  private static let url = "https://example.com/"

  @Test func `one task sleeps for a thousand calls, and each ends at its own deadline`() async throws {
    let transport = StubTransport { _ in .stall }
    let client = client(transport)
    client.limits = .unlimited
    let calls = (1...1000).map { number in
      // The stub's time is real.
      client.start(.get(Self.url).timeout(.seconds(10_000)).deadline(.seconds(number % 10 + 1)))
    }
    try await transport.waitForRequests(1000)
    try await clock.waitForSleepers()
    while clock.ends.map(\.offset) != [.seconds(1)] { await Task.yield() }
    for second in 1...10 {
      await clock.advance(by: .seconds(1))
      let due = calls.enumerated().filter { ($0.offset + 1) % 10 + 1 == second }.map(\.element)
      for call in due {
        let error = await #expect(throws: RequestError.self) { try await call.value }
        #expect(error?.code == .deadlineExceeded)
      }
      #expect(calls.count { $0.outcome != nil } == 100 * second)
      if second < 10 { try await clock.waitForSleepers() }
    }
    #expect(client.pipeline.deadlines.count == 0)
  }

  @Test func `a call that has ended no longer has a deadline`() async throws {
    let client = client(StubTransport { _ in .response(status: 204) })
    for _ in 0..<3 { try await client.send(.get(Self.url).deadline(.seconds(1))) }
    #expect(client.pipeline.deadlines.count == 0)
    let failing = self.client(StubTransport { _ in .fail(.rejected) })
    await #expect(throws: RequestError.self) {
      try await failing.send(.get(Self.url).attempts(1).deadline(.seconds(1)))
    }
    #expect(failing.pipeline.deadlines.count == 0)
  }

  @Test(arguments: [
    Duration.zero, .seconds(-1), .seconds(Int64.min), .nanoseconds(-1), Duration(attoseconds: .min),
  ])
  func `an expired deadline ends the call`(deadline: Duration) async throws {
    let client = client(StubTransport { _ in .stall })
    let error = await #expect(throws: RequestError.self) {
      try await client.send(.get(Self.url).deadline(deadline))
    }
    #expect(error?.code == .deadlineExceeded)
  }

  @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
  func `the longest possible deadline ends no call`(deadline: Duration) async throws {
    let client = client(StubTransport { _ in .response(status: 204) })
    await clock.advance(by: .seconds(1 << 40))
    let response = try await client.send(.get(Self.url).deadline(deadline))
    #expect(response.status == 204)
  }

  @Test func `a released client leaves no sleeping task behind`() async throws {
    do {
      let client = client(StubTransport { _ in .response(status: 204) })
      try await client.send(.get(Self.url).deadline(.seconds(60)))
      try await clock.waitForSleepers()
    }
    while clock.sleepers > 0 { await Task.yield() }
  }

  /// Blocks for the given time when it is cancelled.
  private final class Blocking: Interceptor {
    let end = DispatchSemaphore(value: 0)
    let (blocked, tell) = AsyncStream.makeStream(of: Void.self)
    let outcome = Locked<DispatchTimeoutResult?>(nil)

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      guard request.url?.path == "/blocking" else { return try await next(request) }
      return try await withTaskCancellationHandler {
        try await next(request)
      } onCancel: {
        tell.yield()
        // This holds one of the pool's threads, and on a machine with two the other tests may take the other for long.
        let result = end.wait(timeout: .now() + 300)
        outcome.withLock { $0 = result }
        tell.yield()
      }
    }
  }

  @Test func `a call whose handlers block does not delay the deadline of another call`() async throws {
    let blocking = Blocking()
    let transport = StubTransport { _ in .stall }
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.interceptors = [blocking]
    let client = Client(transport: transport, configuration: configuration)
    let first = client.start(.get("https://example.com/blocking").deadline(.seconds(1)))
    let second = client.start(.get(Self.url).deadline(.seconds(2)))
    try await transport.waitForRequests(2)
    try await clock.waitForSleepers()
    // Without `advance(by:)`, which would wait for the blocked handler.
    #expect(clock.wakeNext())
    var heard = blocking.blocked.makeAsyncIterator()
    await heard.next()
    try await clock.waitForSleepers()
    #expect(clock.wakeNext())
    #expect(await second.result.requestError?.code == .deadlineExceeded)
    blocking.end.signal()
    await heard.next()
    #expect(blocking.outcome.withLock { $0 } == .success)
    #expect(await first.result.requestError?.code == .deadlineExceeded)
  }
}
