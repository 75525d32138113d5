import BenchmarkSupport
import ErrandCore

/// A request that is made once and sent again and again, by so many tasks at once, each one after the other.
protocol Load: Sendable {
  var tasks: Int { get }
  func send() async throws -> Response
}

/// What came was not what the transport gave.
struct WrongAnswer: Error, CustomStringConvertible {
  let description = "not the answer that was given"
}

extension Load {
  /// - Returns: The nanoseconds that a task needed for each of its requests.
  func run(_ requests: Int) async throws -> Double {
    let begin = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for _ in 0..<tasks {
        group.addTask {
          for _ in 0..<requests {
            guard try await send().data.count == 100 else { throw WrongAnswer() }
          }
        }
      }
      try await group.waitForAll()
    }
    return (ContinuousClock.now - begin).inSeconds * 1e9 / Double(requests)
  }
}
