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
  ///   - started: When the call began, on the timeline.
  ///   - deadline: Its length, from then on.
  ///   - next: Makes a try, given its number.
  func perform<Answer>(
    _ state: RetryState, of call: Call, since started: Duration, deadline: Duration?,
    _ next: (Int) async throws -> Answer
  ) async throws -> Answer {
    var state = state
    let now = timeline.now()
    budget.withLock { $0.call(at: now) }
    while true {
      state.begin()
      do {
        return try await next(state.tries)
      } catch var error as RequestError {
        error.attempt = state.tries
        let now = timeline.now()
        let remaining = deadline.map { $0 - (now - started) }
        guard call.stopped == nil, let wait = wait(after: error, state, remaining: remaining, now: now) else {
          throw error
        }
        do {
          try await call.interrupting { [timeline] in try await timeline.sleep(wait) }
        } catch var error as RequestError {
          error.attempt = state.tries
          throw error
        }
      }
    }
  }

  /// How long to wait until the next try, or nil if there is none.
  private func wait(after error: RequestError, _ state: RetryState, remaining: Duration?, now: Duration)
    -> Duration?
  {
    let (failure, date) = (RetryState.Failure(error), date())
    let decision = random.withLock { random in
      state.decide(after: failure, remaining: remaining, date: date, random: &random)
    }
    guard case .retry(let wait) = decision, budget.withLock({ $0.retry(at: now) }) else { return nil }
    return wait
  }
}
