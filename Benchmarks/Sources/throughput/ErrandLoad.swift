import ErrandCore

/// The whole client with its default options: as many tasks as requests in flight, each with its share of the
/// requests.
final class ErrandLoad: Load {
  private let client: Client
  private let request: Request
  private let concurrency: Int
  private let executor: (any TaskExecutor)?

  init(_ transport: any Transport, url: String, concurrency: Int, executor: (any TaskExecutor)? = nil) {
    self.executor = executor
    client = Client(transport: transport)
    client.limits = .unlimited
    request = .get(url)
    self.concurrency = concurrency
  }

  func run(_ requests: Int) async throws {
    try await withTaskExecutorPreference(executor) { try await send(requests) }
  }

  private func send(_ requests: Int) async throws {
    try await withThrowingTaskGroup { group in
      for index in 0..<concurrency {
        let share = requests / concurrency + (index < requests % concurrency ? 1 : 0)
        group.addTask { [client, request] in
          for _ in 0..<share {
            // A status other than 2xx throws.
            let response = try await client.send(request)
            if response.data.isEmpty { throw LoadFailed(description: "a response without a body") }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  func end() async { await client.shutdown() }
}
