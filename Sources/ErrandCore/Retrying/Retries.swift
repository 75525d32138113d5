#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Tries a request again, as its policy and the client's budget allow. Between tries it holds nothing.
final class Retries: Sendable {
  private let policy: RetryPolicy
  private let deadline: Duration?
  private let timeline: Timeline
  private let date: @Sendable () -> Date
  private let budget: Locked<RetryBudgetState>
  private let random: Locked<any RandomNumberGenerator & Sendable>

  init(_ configuration: ClientConfiguration, _ timeline: Timeline) {
    policy = configuration.retry
    deadline = configuration.deadline
    self.timeline = timeline
    date = configuration.date
    budget = Locked(RetryBudgetState(configuration.retryBudget))
    random = Locked(configuration.random)
  }

  func perform(
    _ request: Request, _ run: Run, _ next: (Request, Int) async throws -> Response
  ) async throws -> Response {
    budget.withLock { $0.call(at: run.started) }
    var state = RetryState(
      policy: request.options.retry ?? policy, method: request.method,
      hasIdempotencyKey: request.fields.contains("Idempotency-Key"), isReplayable: request.body.isReplayable)
    while true {
      state.begin()
      do {
        return try await next(request, state.tries)
      } catch var error as RequestError {
        error.attempt = state.tries
        guard run.call.stopped == nil, let wait = wait(after: error, state, request, run) else { throw error }
        try await run.call.interrupting { [timeline] in try await timeline.sleep(wait) }
      }
    }
  }

  /// How long to wait until the next try, or nil if there is none.
  private func wait(
    after error: RequestError, _ state: RetryState, _ request: Request, _ run: Run
  ) -> Duration? {
    let failure = RetryState.Failure(error)
    let now = timeline.now()
    let remaining = (request.options.deadline ?? deadline).map { $0 - (now - run.started) }
    let date = date()
    let decision = random.withLock { random in
      state.decide(after: failure, remaining: remaining, date: date, random: &random)
    }
    guard case .retry(let wait) = decision, budget.withLock({ $0.retry(at: now) }) else {
      return nil
    }
    return wait
  }
}
