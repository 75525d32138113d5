#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Retries an operation, as a policy and the client's budget allow. It holds no resources between attempts.
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

  /// Performs attempts until one succeeds or there is no further one.
  /// - Parameters:
  ///   - rules: Evaluated only when an attempt has failed: most never do.
  ///   - next: Makes an attempt, given its number.
  func perform<Value>(
    _ rules: @autoclosure () -> RetryState, of context: CallContext, _ next: (Int) async throws -> Value
  ) async throws -> Value {
    let now = timeline.now()
    budget.withLock { $0.call(at: now) }
    var hasReached = false
    while true {
      do {
        return try await next(context.countUsed())
      } catch {
        let attempts = context.used
        // An attempt that was cancelled in the middle has not ended, so it does not count.
        if let stop = context.cancellation.cause { throw stop.error(attempts: attempts - 1) }
        guard var error = error as? RequestError else { throw error }
        error.attempt = attempts
        let wait = wait(
          after: error, rules, attempts: attempts, since: context.started, deadline: context.deadline)
        hasReached = hasReached || error.reachedServer
        guard let wait else {
          // The error describes the whole call, not its last attempt only.
          error.reachedServer = hasReached
          throw error
        }
        try await pause(wait, of: context.cancellation, attempts: attempts)
      }
    }
  }

  /// Takes a retry that the transport makes by itself out of the budget.
  func takeOne() -> Bool {
    let now = timeline.now()
    return budget.withLock { $0.retry(at: now) }
  }

  private func pause(_ wait: Duration, of cancellation: CancellationToken, attempts: Int) async throws {
    do {
      try await cancellation.interrupting { [timeline] in try await timeline.sleep(wait) }
    } catch var error as RequestError {
      error.attempt = attempts
      throw error
    }
  }

  /// Returns how long to wait until the next attempt, or nil if there is none.
  // Separate from `perform`, so that an attempt reserves no stack space for variables that only a failure
  // needs.
  @inline(never)
  private func wait(
    after error: RequestError, _ rules: () -> RetryState, attempts: Int, since started: Duration,
    deadline: Duration?
  ) -> Duration? {
    var state = rules()
    state.attempts = attempts
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
