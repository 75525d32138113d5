import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct WithRequestScopeTests {
  @Test func `the scope ends when the body returns`() async throws {
    let signal = StopSignal()
    let scope = try await withRequestScope("block") { scope in
      _ = try scope.enter(signal)
      #expect(signal.stopped == nil)
      return scope
    }
    #expect(scope.hasEnded)
    #expect(signal.stopped == .cancelled(.scopeEnded("block")))
  }

  @Test func `the scope ends when the body throws, and the error keeps its type`() async {
    struct Broken: Error {}
    let log = EventLog()
    do {
      try await withRequestScope("block") { (scope) async throws(Broken) in
        scope.onEnd { log.note("ended") }
        throw Broken()
      }
      Issue.record("it must throw")
    } catch {
      let _: Broken = error
    }
    #expect(log.events == ["ended"])
  }

  @Test func `the scope ends at once when the task is cancelled, though the body goes on`() async throws {
    let (inside, leave) = (StubGate(), StubGate())
    let signal = StopSignal()
    let task = Task {
      try await withRequestScope("block") { scope in
        _ = try scope.enter(signal)
        inside.open()
        // Deaf to its own task's cancel.
        await Task { try? await leave.pass() }.value
        #expect(scope.hasEnded)
      }
    }
    try await inside.pass()
    task.cancel()
    #expect(signal.stopped == .cancelled(.taskCancelled))
    leave.open()
    try await task.value
  }

  @Test func `it is nested in the scope that it is given`() async {
    let page = RequestScope("page")
    await withRequestScope("block", in: page) { scope in
      page.end()
      #expect(scope.hasEnded)
    }
  }

  @Test @MainActor func `the body runs where it was formed`() async {
    var steps = 0
    await withRequestScope { _ in
      MainActor.assertIsolated()
      steps += 1
    }
    #expect(steps == 1)
  }

  @Test func `the first of several answers calls the others off`() async throws {
    let clock = VirtualClock()
    let stub = StubTransport(clock: clock) { $0.url.path == "/quick" ? .answer(body: "quick") : .stall }
    let client = Client(transport: stub)
    let text = try await withRequestScope { scope in
      let slow = scope.task { try await client.send(.get("http://stub.test/slow")) }
      try await stub.waitForRequests()
      let quick = scope.task { try await client.send(.get("http://stub.test/quick")) }
      let text = try await quick.value.text
      scope.end()
      await #expect(throws: RequestError.self) { try await slow.value }
      return text
    }
    #expect(text == "quick")
    #expect(stub.cancelled == 1)
  }
}
