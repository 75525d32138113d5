import Synchronization

@testable import ErrandCore

/// Collects the problems that a cache reports.
final class ProblemLog: Sendable {
  private let state = Mutex<[CacheFileProblem]>([])

  var problems: [CacheFileProblem] { state.withLock { $0 } }
  var reasons: [CacheFileProblem.Reason] { problems.map(\.reason) }

  @Sendable func add(_ problem: CacheFileProblem) { state.withLock { $0.append(problem) } }
}
