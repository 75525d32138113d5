import ErrandCore
import Foundation

/// The client with its default options, with one task for each request in flight. Each task sends its share of the
/// requests.
final class ErrandLoad: Load {
  private let client: Client
  private let request: Request
  private let work: Work
  private let executor: (any TaskExecutor)?
  private let scope = RequestScope("page")

  init(_ transport: any Transport, _ work: Work, executor: (any TaskExecutor)? = nil) {
    client = Client(transport: transport)
    client.limits = .unlimited
    request =
      work.upload > 0
      ? .post(work.url, .bytes(Data(repeating: UInt8(ascii: "e"), count: work.upload))) : .get(work.url)
    self.work = work
    self.executor = executor
  }

  func run(_ requests: Int) async throws {
    try await withTaskExecutorPreference(executor) { try await send(requests) }
  }

  private func send(_ requests: Int) async throws {
    try await withThrowingTaskGroup { group in
      for index in 0..<work.concurrency {
        let share = requests / work.concurrency + (index < requests % work.concurrency ? 1 : 0)
        let request = request(of: index)
        group.addTask { [self] in
          for _ in 0..<share where try await receive(request) == 0 {
            throw LoadFailed(description: "errand: a response has no body")
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Returns the request of one task. With sharing, the tasks' URLs differ, so that their requests are not shared.
  private func request(of task: Int) -> Request {
    if work.policies == .none || work.policies == .task { return request }
    let own = Request.get("\(work.url)?task=\(task)")
    if work.policies == .sharing { return own.shared() }
    let request = own.priority(.userInitiated).attempts(3).deadline(.seconds(60)).activity(
      RequestActivity("Loading")
    )
    .expecting(contentType: "text/plain").expectingBody()
    return work.policies == .all ? request.shared() : request
  }

  /// - Returns: The number of bytes of the response.
  /// - Throws: An error for a status other than 2xx.
  private func receive(_ request: Request) async throws -> Int {
    guard work.streams else {
      if work.policies == .task { return try await sendInTask(request) }
      let isScoped = work.policies == .all || work.policies == .others
      return try await client.send(request, in: isScoped ? scope : nil).data.count
    }
    var count = 0
    for try await chunk in try await client.stream(request).chunks { count += chunk.count }
    return count
  }

  private func sendInTask(_ request: Request) async throws -> Int {
    if #available(macOS 26, *) {
      try await Task.immediate { [client] in try await client.send(request).data.count }.value
    } else {
      try await Task { [client] in try await client.send(request).data.count }.value
    }
  }

  func end() async { await client.shutdown() }
}
