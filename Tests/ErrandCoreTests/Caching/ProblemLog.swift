import Synchronization

@testable import ErrandCore

/// What a store complained about.
final class ProblemLog: Sendable {
  private let state = Mutex<[AnswerStoreProblem]>([])

  var problems: [AnswerStoreProblem] { state.withLock { $0 } }
  var reasons: [AnswerStoreProblem.Reason] { problems.map(\.reason) }

  @Sendable func add(_ problem: AnswerStoreProblem) { state.withLock { $0.append(problem) } }
}
