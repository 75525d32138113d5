import Synchronization

@testable import ErrandCookies
@testable import ErrandCore

/// Collects the problems that a cookie store reports.
final class CookieProblemLog: Sendable {
  private let state = Mutex<[CookieFileProblem]>([])

  var problems: [CookieFileProblem] { state.withLock { $0 } }
  var reasons: [CookieFileProblem.Reason] { problems.map(\.reason) }

  @Sendable func add(_ problem: CookieFileProblem) { state.withLock { $0.append(problem) } }
}
