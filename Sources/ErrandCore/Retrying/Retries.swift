#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Tries again, as a policy and the client's budget allow. Between tries it holds nothing.
final class Retries: Sendable {
  private let timeline: Timeline
  private let date: @Sendable () -> Date
  private let budget: Locked<RetryBudgetState>
  private let random: Locked<any RandomNumberGenerator & Sendable>

  init(
    budget: RetryBudget, random: any RandomNumberGenerator & Sendable, date: @escaping @Sendable () -> Date,
    timeline: Timeline
  ) {
    self.budget = Locked(RetryBudgetState(budget))
    self.random = Locked(random)
    self.date = date
    self.timeline = timeline
  }

  /// - Parameters:
  ///   - rules: Asked for only when a try has failed: most never do.
  ///   - next: Makes a try, given its number.
  func perform<Answer>(
    _ rules: @autoclosure () -> RetryState, of run: Run, _ next: (Int) async throws -> Answer
  ) async throws -> Answer {
    let now = timeline.now()
    budget.withLock { $0.call(at: now) }
    var hasReached = false
    while true {
      do {
        return try await next(run.countUsed())
      } catch {
        let tries = run.used
        // One that is called off in the middle has not ended.
        if let stop = run.signal.stopped { throw stop.error(tries: tries - 1) }
        guard var error = error as? RequestError else { throw error }
        error.attempt = tries
        let wait = wait(after: error, rules, tries: tries, since: run.started, deadline: run.deadline)
        hasReached = hasReached || error.reachedServer
        guard let wait else {
          // Of the whole call, not of its last try only.
          error.reachedServer = hasReached
          throw error
        }
        try await pause(wait, of: run.signal, tries: tries)
      }
    }
  }

  /// Takes a retry that the transport makes by itself out of the budget.
  func takeOne() -> Bool {
    let now = timeline.now()
    return budget.withLock { $0.retry(at: now) }
  }

  private func pause(_ wait: Duration, of signal: StopSignal, tries: Int) async throws {
    do {
      try await signal.interrupting { [timeline] in try await timeline.sleep(wait) }
    } catch var error as RequestError {
      error.attempt = tries
      throw error
    }
  }

  /// How long to wait until the next try, or nil if there is none.
  // Apart from `perform`, so that a try needs no room for what only its failure does.
  @inline(never)
  private func wait(
    after error: RequestError, _ rules: () -> RetryState, tries: Int, since started: Duration,
    deadline: Duration?
  ) -> Duration? {
    var state = rules()
    state.tries = tries
    let now = timeline.now()
    let remaining = deadline.map { $0 - (now - started) }
    let (failure, date) = (RetryState.Failure(error), date())
    let decision = random.withLock { random in
      state.decide(after: failure, remaining: remaining, date: date, random: &random)
    }
    guard case .retry(let wait) = decision, budget.withLock({ $0.retry(at: now) }) else { return nil }
    return wait
  }
}
