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

  @Test func `a caller that is cancelled cancels the work`() async throws {
    let task = Task { try await untilSignal([SIGUSR2]) { try await Task.sleep(for: .seconds(60)) } }
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
  }

  @Test func `a closure that throws creates no client`() {
    struct Missing: Error {}
    #expect(throws: Missing.self) { _ = try Client { _ throws(Missing) in throw Missing() } }
  }
}
