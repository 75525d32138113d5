import ErrandCore
import ErrandTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Each test is repeated while other tasks keep the shared threads busy, so that work which is due runs late.
@Suite("A virtual clock moves only when the work that is due is idle", .timeLimit(.minutes(2)))
struct VirtualClockOrderTests {
  private static let tries = 20

  /// Runs `work` several times beside eight tasks that never wait.
  private func underLoad(_ work: () async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { @concurrent in
          while !Task.isCancelled {
            for number in 0..<20_000 where number < 0 { break }
            await Task.yield()
          }
        }
      }
      defer { group.cancelAll() }
      for _ in 0..<Self.tries { try await work() }
    }
  }

  /// Gives other tasks many turns before each attempt.
  private struct Dawdling: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      for _ in 0..<100 { await Task.yield() }
      return try await next(request)
    }
  }

  private func client(_ clock: VirtualClock, _ script: [StubStep]) -> (client: Client, stub: StubTransport) {
    let stub = StubTransport(clock: clock, script)
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.retry = .attempts(10)
    configuration.attemptInterceptors = [Dawdling()]
    return (Client(transport: stub, configuration: configuration), stub)
  }

  /// Attempts at 0 s, 2 s and 4 s, of which the last gets no response.
  private let failing: [StubStep] = [
    .response(status: 503, fields: ["Retry-After": "2"]),
    .response(status: 503, fields: ["Retry-After": "2"]),
    .stall,
  ]
  private let request = Request.get("http://a.test").deadline(.seconds(5))

  @Test func `a task that sleeps three times is woken three times within one move`() async throws {
    try await underLoad {
      let clock = VirtualClock()
      let times = Locked<[Duration]>([])
      let task = Task {
        for _ in 0..<3 {
          try await clock.sleep(for: .seconds(1))
          times.withLock { $0.append(clock.now.offset) }
        }
      }
      try await clock.waitForSleepers()
      await clock.advance(by: .seconds(3))
      #expect(times.withLock { $0 } == [.seconds(1), .seconds(2), .seconds(3)])
      #expect(clock.now.offset == .seconds(3))
      task.cancel()
      _ = await task.result
    }
  }

  @Test func `a task of the main actor is work as well`() async throws {
    try await underLoad {
      let clock = VirtualClock()
      let times = Locked<[Duration]>([])
      let task = Task { @MainActor in
        for _ in 0..<3 {
          try await clock.sleep(for: .seconds(1))
          // These jobs take long, so that a clock that does not wait for them is ahead.
          for _ in 0..<5 { await Task { @MainActor in _ = usleep(500) }.value }
          await Task { @MainActor in await Task.yield() }.value
          times.withLock { $0.append(clock.now.offset) }
        }
      }
      try await clock.waitForSleepers()
      await clock.advance(by: .seconds(3))
      #expect(times.withLock { $0 } == [.seconds(1), .seconds(2), .seconds(3)])
      task.cancel()
      _ = await task.result
    }
  }

  private actor Counter {
    private(set) var count = 0
    func increment() { count += 1 }
  }

  @Test func `actors, groups, detached tasks and streams that a woken task uses are its work`() async throws {
    try await underLoad {
      let clock = VirtualClock()
      let counter = Counter()
      let task = Task {
        for _ in 0..<3 {
          try await clock.sleep(for: .seconds(1))
          await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { @concurrent in await counter.increment() } }
          }
          let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
          Task.detached {
            for number in 0..<4 {
              await Task.yield()
              continuation.yield(number)
            }
            continuation.finish()
          }
          for await _ in stream { await counter.increment() }
        }
      }
      try await clock.waitForSleepers()
      await clock.advance(by: .seconds(2))
      #expect(await counter.count == 16)
      await clock.advance(by: .seconds(1))
      #expect(await counter.count == 24)
      task.cancel()
      _ = await task.result
    }
  }

  @Test func `a call's retries come before its deadline, in a run`() async throws {
    try await underLoad {
      let clock = VirtualClock()
      let (client, stub) = client(clock, failing)
      let error = await #expect(throws: RequestError.self) {
        try await clock.run { try await client.send(request) }
      }
      #expect(error?.code == .deadlineExceeded)
      #expect(stub.requests.count == 3)
      #expect(clock.now.offset == .seconds(5))
    }
  }

  @Test func `a started call's retries come before its deadline, although no sleep has begun`() async throws {
    try await underLoad {
      let clock = VirtualClock()
      let (client, stub) = client(clock, failing)
      let call = client.start(request)
      await clock.advance(by: .seconds(10))
      #expect(stub.requests.count == 3)
      let error = await #expect(throws: RequestError.self) { try await call.value }
      #expect(error?.code == .deadlineExceeded)
    }
  }

  @Test func `a sent request's retries come before its deadline, once any of its sleeps has begun`()
    async throws
  {
    try await underLoad {
      let clock = VirtualClock()
      let (client, stub) = client(clock, failing)
      let sending = Task { try await client.send(request) }
      try await clock.waitForSleepers()
      await clock.advance(by: .milliseconds(4999))
      #expect(stub.requests.count == 3)
      #expect(stub.inFlight == 1)
      await clock.advance(by: .milliseconds(1))
      #expect(stub.inFlight == 0)
      let error = await #expect(throws: RequestError.self) { try await sending.value }
      #expect(error?.code == .deadlineExceeded)
    }
  }

  @Test func `work that follows a response comes before the next deadline`() async throws {
    try await underLoad {
      let clock = VirtualClock()
      let (client, stub) = client(clock, [.response().after(.seconds(1))])
      let polling = Task {
        for _ in 0..<3 {
          try await client.send(request)
          try await clock.sleep(for: .seconds(1))
        }
      }
      try await clock.waitForSleepers()
      await clock.advance(by: .seconds(5))
      #expect(stub.requests.map(\.index) == [0, 1, 2])
      await clock.advance(by: .seconds(1))
      polling.cancel()
      _ = await polling.result
    }
  }

  @Test func `a task with the clock as its executor is work from its beginning`() async throws {
    try await underLoad {
      let clock = VirtualClock()
      let time = Locked<Duration?>(nil)
      Task(executorPreference: clock) {
        for _ in 0..<20 { await Task.yield() }
        try await clock.sleep(for: .seconds(1))
        time.withLock { $0 = clock.now.offset }
      }
      await clock.advance(by: .seconds(3))
      #expect(time.withLock { $0 } == .seconds(1))
    }
  }

  @Test func `the earliest of two sleeps ends a race in a run`() async throws {
    try await underLoad {
      let clock = VirtualClock()
      let first = try await clock.run {
        try await withThrowingTaskGroup(of: Int.self) { group in
          for seconds in [5, 2] {
            group.addTask { @concurrent in
              for _ in 0..<seconds { await Task.yield() }
              try await clock.sleep(for: .seconds(seconds))
              return seconds
            }
          }
          defer { group.cancelAll() }
          return try await group.next()
        }
      }
      #expect(first == 2)
      #expect(clock.now.offset == .seconds(2))
      #expect(clock.sleepers == 0)
    }
  }
}
