import Dispatch
import ErrandTesting
import Foundation
import Testing

@testable import Errand

/// Sends signals to this process. Each test has another one, because a signal is delivered to all who wait for it.
@Suite(.timeLimit(.minutes(1))) struct UntilSignalTests {
  @Test func `a signal cancels the work and its requests, and is returned`() async throws {
    let server = try MockServer()
    server.on("GET", "/stall") { _ in .stall }
    let client = Client(baseURL: server.url("/"))
    let received = try await untilSignal([SIGUSR1]) {
      async let response = client.send(.get("stall"))
      try await server.waitForRequests(1)
      kill(getpid(), SIGUSR1)
      _ = try await response
    }
    #expect(received == SIGUSR1)
    try await server.waitForOpenConnections(0)
  }

  @Test func `work that returns ends the wait, and its error is thrown`() async throws {
    struct Failed: Error {}
    #expect(try await untilSignal([SIGUSR2]) {} == nil)
    await #expect(throws: Failed.self) { try await untilSignal([SIGUSR2]) { throw Failed() } }
  }

  @Test func `an error of the work that is not a cancellation is thrown even after a signal`() async throws {
    struct Failed: Error {}
    await #expect(throws: Failed.self) {
      try await untilSignal([SIGWINCH]) {
        kill(getpid(), SIGWINCH)
        await withTaskCancellationHandler {
          while !Task.isCancelled { await Task.yield() }
        } onCancel: {
        }
        throw Failed()
      }
    }
  }

  #if canImport(Glibc)
    private static func hasDefaultAction(_ signal: Int32) -> Bool {
      var action = sigaction()
      sigaction(signal, nil, &action)
      return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0
    }

    @Test func `after the first signal and after the work, a signal has its effect again`() async throws {
      let received = try await untilSignal([SIGVTALRM]) {
        #expect(!Self.hasDefaultAction(SIGVTALRM))
        kill(getpid(), SIGVTALRM)
        while !Self.hasDefaultAction(SIGVTALRM) { await Task.yield() }
      }
      #expect(received == SIGVTALRM)
      #expect(try await untilSignal([SIGVTALRM]) {} == nil)
      #expect(Self.hasDefaultAction(SIGVTALRM))
    }
  #endif

  /// Waits until a signal cancels the work, after it has sent the signal itself.
  private static func catching(_ signal: Int32) async throws -> Int32? {
    try await untilSignal([signal]) {
      kill(getpid(), signal)
      try await StubGate().pass()
    }
  }

  @Test func `each later use catches its signals like the first one`() async throws {
    for _ in 0..<3 {
      #expect(try await Self.catching(SIGALRM) == SIGALRM)
      #expect(try await untilSignal([SIGALRM]) {} == nil)
    }
  }

  @Test func `a signal cancels every call that waits for it, and the last one restores its effect`()
    async throws
  {
    let (begun, mayEnd) = (StubGate(), StubGate())
    let first = Task {
      try await untilSignal([SIGXCPU]) {
        begun.open()
        try await mayEnd.pass()
      }
    }
    try await begun.pass()
    // The outer of these two ends at the signal, too.
    let received = try await untilSignal([SIGXCPU, SIGXFSZ]) {
      mayEnd.open()
      #expect(try await first.value == nil)
      #expect(try await Self.catching(SIGXCPU) == SIGXCPU)
      try await StubGate().pass()
    }
    #expect(received == SIGXCPU)
    #if canImport(Glibc)
      #expect(Self.hasDefaultAction(SIGXCPU))
      #expect(Self.hasDefaultAction(SIGXFSZ))
    #endif
    #expect(try await Self.catching(SIGXCPU) == SIGXCPU)
  }

  @Test func `a source of other code for the same signal keeps working`() async throws {
    let (events, continuation) = AsyncStream.makeStream(of: Void.self)
    let source = DispatchSource.makeSignalSource(signal: SIGIO, queue: .global())
    source.setEventHandler { @Sendable in continuation.yield() }
    await withCheckedContinuation { registered in
      source.setRegistrationHandler { @Sendable in registered.resume() }
      source.activate()
    }
    defer { source.cancel() }
    var iterator = events.makeAsyncIterator()
    #expect(try await Self.catching(SIGIO) == SIGIO)
    #expect(await iterator.next() != nil)
    #if !canImport(Darwin)
      kill(getpid(), SIGIO)
      #expect(await iterator.next() != nil)
    #endif
  }

  /// The handlers of the calls run one after the other, and work may return before the handler of its call runs.
  @Test func `a call that ends before its handler has run returns the signal`() async {
    let signals = ProcessSignals.shared
    let second = Locked<Int?>(nil)
    let (ended, end) = AsyncStream.makeStream(of: Int32?.self)
    let first = await signals.begin([SIGURG]) {
      second.withLock(\.self).map { _ = end.yield(signals.end($0)) }
    }
    let number = await signals.begin([SIGURG]) {}
    second.withLock { $0 = number }
    kill(getpid(), SIGURG)
    var results = ended.makeAsyncIterator()
    #expect(await results.next() == SIGURG)
    #expect(signals.end(first) == SIGURG)
    #expect(signals.end(first) == nil)
  }

  @Test(arguments: [0, -1, 1000, Int32.min, Int32.max, SIGKILL, SIGSTOP, SIGSEGV, SIGPIPE])
  func `a number that is no signal to wait for is an error that names it`(number: Int32) async {
    let error = await #expect(throws: UnusableSignal.self) {
      try await untilSignal([SIGUSR2, number]) { Issue.record("the work began") }
    }
    #expect(error.map { "\($0)".contains("the signal \(number):") } == true)
  }

  @Test func `the first call for a signal installs it, and the end of the last one restores it`() {
    var waits = SignalWaits()
    let first = waits.begin([SIGINT, SIGTERM])
    #expect(first.first == [SIGINT, SIGTERM])
    let second = waits.begin([SIGTERM, SIGHUP])
    #expect(second.first == [SIGHUP])
    #expect(waits.end(first.call) == [SIGINT])
    #expect(waits.end(first.call) == [])
    let third = waits.begin([SIGTERM])
    #expect(third.first == [])
    let received = waits.receive(SIGTERM)
    #expect(received.calls == [second.call, third.call])
    #expect(received.last == [SIGHUP, SIGTERM])
    #expect(waits.receive(SIGTERM).calls == [])
    #expect(waits.begin([]).first == [])
  }

  @Test func `a caller that is cancelled cancels the work`() async throws {
    let task = Task { try await untilSignal([SIGUSR2]) { try await StubGate().pass() } }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

@Suite struct ClientCreationTests {
  private struct User: Codable, Equatable { var id: Int }

  @Test func `a client is created with a base URL or a closure, and decodes at once`() async throws {
    let server = try MockServer()
    server.on("GET", "/v1/users/7") { _ in .response(json: User(id: 7)) }
    let base = server.url("/v1")
    for client in [Client(baseURL: base), Client { $0.baseURL = base }] {
      #expect(try await client.send(.get("users/7"), as: User.self) == User(id: 7))
    }
    #expect(server.requests.count == 2)
    let response = try await Client(baseURL: base).send(.get("users/7"))
    #expect(response.fields["Content-Type"] == "application/json")
    server.on("GET", "/v1/users/8") { _ in .response(json: Double.infinity) }
    let error = await #expect(throws: RequestError.self) {
      try await Client(baseURL: base).send(.get("users/8").bestEffort())
    }
    #expect(error?.status == 500)
  }

  @Test func `a closure that throws creates no client`() {
    struct Missing: Error {}
    #expect(throws: Missing.self) { _ = try Client { _ throws(Missing) in throw Missing() } }
  }
}
