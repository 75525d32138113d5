import BenchmarkSupport
import ErrandCore

/// A request that is created once and sent repeatedly, by a number of concurrent tasks.
protocol Load: Sendable {
  var tasks: Int { get }
  func send() async throws -> Response
}

/// The error of a response that differs from the transport's.
struct WrongResponse: Error, CustomStringConvertible {
  let description = "the response differs from that of the transport"
}

extension Load {
  /// Sends the requests.
  /// - Returns: The time of a task per request in nanoseconds.
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
