import BenchmarkSupport
import ErrandCore

/// A request that is made once and sent repeatedly, by so many concurrent tasks.
protocol Load: Sendable {
  var tasks: Int { get }
  func send() async throws -> Response
}

/// The response was not the transport's.
struct WrongResponse: Error, CustomStringConvertible {
  let description = "not the response that was given"
}

extension Load {
  /// Sends the requests.
  /// - Returns: The nanoseconds that a task needed for each of its requests.
  func run(_ requests: Int) async throws -> Double {
    let begin = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for _ in 0..<tasks {
        group.addTask {
          for _ in 0..<requests {
            guard try await send().data.count == 100 else { throw WrongResponse() }
          }
        }
      }
      try await group.waitForAll()
    }
    return (ContinuousClock.now - begin).inSeconds * 1e9 / Double(requests)
  }
}
