import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct WithRequestScopeTests {
  @Test func `the scope ends when the body returns`() async throws {
    let cancellation = CancellationToken()
    let scope = try await withRequestScope("block") { scope in
      _ = try scope.enter(cancellation)
      #expect(cancellation.cause == nil)
      return scope
    }
    #expect(scope.isCancelled)
    #expect(cancellation.cause == .cancelled(.scopeEnded("block")))
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

  @Test func `the scope ends at once when the task is cancelled, even if the body continues`() async throws {
    let (inside, leave) = (StubGate(), StubGate())
    let cancellation = CancellationToken()
    let task = Task {
      try await withRequestScope("block") { scope in
        _ = try scope.enter(cancellation)
        inside.open()
        // This wait ignores the cancellation of the current task.
        await Task { try? await leave.pass() }.value
        #expect(scope.isCancelled)
      }
    }
    try await inside.pass()
    task.cancel()
    #expect(cancellation.cause == .cancelled(.taskCancelled))
    leave.open()
    try await task.value
  }

  @Test func `the scope is nested in the given scope`() async {
    let page = RequestScope("page")
    await withRequestScope("block", in: page) { scope in
      page.end()
      #expect(scope.isCancelled)
    }
  }

  @Test @MainActor func `the body runs on the actor where its closure was formed`() async {
    var steps = 0
    await withRequestScope { _ in
      MainActor.assertIsolated()
      steps += 1
    }
    #expect(steps == 1)
  }

  @Test func `the first of several responses cancels the other requests`() async throws {
    let clock = VirtualClock()
    let stub = StubTransport(clock: clock) { $0.url.path == "/quick" ? .response(body: "quick") : .stall }
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
