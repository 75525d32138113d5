import Errand
import ErrandTesting
import Foundation
import Testing

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
