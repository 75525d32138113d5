import ErrandCore
import ErrandCurl
import ErrandTesting
import Testing

/// Tasks on the thread of their transport.
@Suite(.timeLimit(.minutes(1))) struct ExecutorTests {
  private let server: MockServer
  private let transport = CurlTransport()
  private let client: Client

  init() throws {
    server = try MockServer()
    server.on("/") { _ in .response(body: "ok") }
    client = Client(transport: transport)
  }

  private var request: Request { .get(server.url("/")).timeout(.seconds(20)) }

  @Test func `a task and its requests stay on one thread, and other tasks stay off it`() async throws {
    let elsewhere = SystemThread.ID.current
    let threads = try await withTaskExecutorPreference(transport.executor) {
      var threads: Set<SystemThread.ID> = [.current]
      for _ in 0..<5 {
        #expect(try await client.send(request).text == "ok")
        threads.insert(.current)
      }
      try await withThrowingTaskGroup { group in
        for _ in 0..<5 {
          group.addTask {
            _ = try await client.send(request)
            return SystemThread.ID.current
          }
        }
        for try await thread in group { threads.insert(thread) }
      }
      return threads
    }
    #expect(threads.count == 1)
    #expect(!threads.contains(elsewhere))
  }

  @Test func `tasks that never suspend do not starve the network`() async throws {
    let busy = (0..<4).map { _ in
      Task(executorPreference: transport.executor) {
        while !Task.isCancelled { await Task.yield() }
      }
    }
    for _ in 0..<20 { #expect(try await client.send(request).text == "ok") }
    for task in busy {
      task.cancel()
      await task.value
    }
  }

  @Test func `tasks end after the transport was shut down, even on a transport that was never used`()
    async throws
  {
    let executor = transport.executor
    let tasks = (0..<50).map { number in
      Task(executorPreference: executor) {
        for _ in 0..<number { await Task.yield() }
        // It fails once the transport is shut down.
        _ = try? await client.send(request)
        return number
      }
    }
    await transport.shutdown()
    for (number, task) in tasks.enumerated() { #expect(await task.value == number) }
    let later = Task(executorPreference: executor) { await error() }
    #expect(await later.value == .cannotConnect)
    let unused = CurlTransport()
    #expect(await Task(executorPreference: unused.executor) { 1 }.value == 1)
    await unused.shutdown()
  }

  private func error() async -> RequestError.Code? {
    do {
      _ = try await client.send(request.attempts(1))
      return nil
    } catch { return (error as? RequestError)?.code }
  }

  @Test func `a request of such a task is cancelled at once`() async throws {
    server.on("/slow") { _ in .response(body: "late").pausing(.seconds(30)) }
    let url = server.url("/slow")
    let task = Task(executorPreference: transport.executor) {
      _ = try await client.send(.get(url).timeout(.seconds(60)).bestEffort())
    }
    try await server.waitForOpenConnections(1)
    let start = ContinuousClock.now
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(ContinuousClock.now - start < .seconds(5))
  }
}
