import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct RequestScopeTasksTests {
  private let clock = VirtualClock()

  private func client(_ stub: StubTransport) -> Client {
    var configuration = ClientConfiguration()
    configuration.clock = clock
    return Client(transport: stub, configuration: configuration)
  }

  @Test func `a request on the wire is cancelled with its scope`() async throws {
    let stub = StubTransport(clock: clock, [.stall])
    let client = client(stub)
    let page = RequestScope("page")
    let task = page.task { try await client.send(.get("http://stub.test/")) }
    try await stub.waitForRequests()
    page.end()
    let error = await #expect(throws: RequestError.self) { try await task.value }
    #expect(error?.isCancellation == true)
    #expect(stub.cancelled == 1)
    #expect(stub.inFlight == 0)
  }

  @Test func `a request that waits for its next attempt is cancelled with its scope`() async throws {
    let stub = StubTransport(clock: clock, [.response(status: 503, fields: ["Retry-After": "10"])])
    let client = client(stub)
    let page = RequestScope("page")
    let task = page.task { try await client.send(.get("http://stub.test/")) }
    try await clock.waitForSleepers()
    page.end()
    let error = await #expect(throws: RequestError.self) { try await task.value }
    #expect(error?.isCancellation == true)
    #expect(stub.requests.count == 1)
    #expect(clock.sleepers == 0)
  }

  @Test func `a task has left its scope when its value is available`() async throws {
    let page = RequestScope()
    let task = page.task { 7 }
    #expect(try await task.value == 7)
    #expect(page.count == 0)
  }

  @Test func `a task that is started in an ended scope is cancelled from the start`() async throws {
    let page = RequestScope()
    page.end()
    let wasCancelled = try await page.task { Task.isCancelled }.value
    #expect(wasCancelled)
  }

  @Test func `an error thrown in a task is the task's error`() async {
    let page = RequestScope()
    let task = page.task { throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(page.count == 0)
  }

  @Test @MainActor func `a task runs on the actor where its closure was formed`() async throws {
    var steps = 0
    let page = RequestScope()
    try await page.task {
      MainActor.assertIsolated()
      steps += 1
    }.value
    #expect(steps == 1)
  }

  @Test func `any task can be inserted, and leaves when it ends`() async throws {
    let page = RequestScope()
    let gate = StubGate()
    let task = Task { try await gate.pass() }
    page.insert(task)
    #expect(page.count == 1)
    gate.open()
    try await task.value
    while page.count != 0 { await Task.yield() }
    page.end()
    #expect(!task.isCancelled)
  }

  @Test func `an inserted task is cancelled with the scope, or at once if the scope has ended`() async {
    let page = RequestScope()
    let gate = StubGate()
    let first = Task { try await gate.pass() }
    page.insert(first)
    page.end()
    #expect(first.isCancelled)
    let second = Task { try await gate.pass() }
    page.insert(second)
    #expect(second.isCancelled)
    await #expect(throws: CancellationError.self) { try await first.value }
    await #expect(throws: CancellationError.self) { try await second.value }
  }

  @Test func `a task that has left is not cancelled`() async throws {
    let page = RequestScope()
    let gate = StubGate()
    let task = Task { try await gate.pass() }
    page.insert(task).leave()
    page.end()
    #expect(!task.isCancelled)
    gate.open()
    try await task.value
  }

  @Test func `an end handler runs once, and at once in an ended scope`() {
    let log = EventLog()
    let page = RequestScope()
    page.onEnd { log.note("socket") }
    let timer = page.onEnd { log.note("timer") }
    timer.leave()
    page.cancelAll()
    page.end()
    #expect(log.events == ["socket"])
    page.onEnd { log.note("late") }.leave()
    #expect(log.events == ["socket", "late"])
  }

  @Test func `a scope that a waiting task retains does not end before that task`() async throws {
    let gate = StubGate()
    let log = EventLog()
    var page: RequestScope? = RequestScope()
    page?.onEnd { log.note("ended") }
    let waiter = Task { [page] in
      try await gate.pass()
      _ = page
    }
    page = nil
    #expect(log.events.isEmpty)
    gate.open()
    try await waiter.value
    while log.events != ["ended"] { await Task.yield() }
  }
}
