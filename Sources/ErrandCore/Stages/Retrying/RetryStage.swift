#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Attempts a request again after a failure, as its policy and the client's budget allow. A call holds no
/// resources between attempts.
final class RetryStage: Stage {
  let usage = StageUsage.everyRequest
  private let policy: RetryPolicy
  private let timeline: Timeline
  private let date: @Sendable () -> Date
  private let budget: Locked<RetryBudgetState>
  private let random: Locked<any RandomNumberGenerator & Sendable>

  /// - Parameter policy: The policy of requests without one.
  init(
    _ policy: RetryPolicy, budget: RetryBudget, random: any RandomNumberGenerator & Sendable,
    date: @escaping @Sendable () -> Date, timeline: Timeline
  ) {
    self.policy = policy
    self.budget = Locked(RetryBudgetState(budget))
    self.random = Locked(random)
    self.date = date
    self.timeline = timeline
  }

  @inline(__always)
  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    let now = timeline.now()
    budget.withLock { $0.call(at: now) }
    var hasReached = false
    while true {
      context.countUsed()
      do {
        return try await next(request, context)
      } catch {
        try await recover(from: error, request, context, &hasReached)
      }
    }
  }

  /// Waits until the next attempt.
  /// - Parameter hasReached: Whether one of the attempts may have reached the server.
  /// - Throws: The call's outcome, if this attempt was the last.
  // A separate function from `perform`, so that an attempt reserves no stack space for variables that only a
  // failure needs.
  @inline(never)
  private func recover(
    from error: any Error, _ request: Request, _ context: CallContext, _ hasReached: inout Bool
  ) async throws {
    let attempts = context.used
    // An attempt that was cancelled midway has not ended, so it does not count.
    if let failure = context.cancellation.failure(attempts: attempts - 1) { throw failure }
    guard var error = error as? RequestError else { throw error }
    error.attempt = attempts
    error.retryAfter = error.fields.flatMap { RetryAfter(of: $0) }?.wait(from: date())
    let wait = wait(after: &error, request, context)
    hasReached = hasReached || error.reachedServer
    guard let wait else {
      // The error describes the whole call, not its last attempt only.
      error.reachedServer = hasReached
      throw error
    }
    try await pause(wait, after: error, context, attempts: attempts)
  }

  /// Returns whether a transport that cannot ask before it sends a request again may use a pooled connection.
  /// A safe request, and one with an idempotency key, may be sent twice without harm, even if their policy
  /// allows one attempt. A new connection for each of them would cost far more.
  func mayBeRepeated(_ request: Request, _ context: CallContext) -> Bool {
    if request.method.isSafe || request.fields.contains("Idempotency-Key") { return true }
    let limit = (request.options.retry ?? policy).maxAttempts
    return context.used < limit && request.method.isIdempotent
  }

  /// Returns true if the server may get the request twice without harm: if it is idempotent, or has a key.
  func mayRepeat(_ request: Request) -> Bool { request.mayRepeat(by: policy) }

  /// Takes a second attempt out of the budget, as a retry is. Returns false if the budget is used up.
  func takeSecondAttempt() -> Bool {
    let now = timeline.now()
    return budget.withLock { $0.retry(at: now) }
  }

  private func state(of request: Request, _ context: CallContext) -> RetryState {
    var state = RetryState(
      policy: request.options.retry ?? policy, method: request.method,
      hasIdempotencyKey: request.fields.contains("Idempotency-Key"), isReplayable: request.body.isReplayable)
    state.attempts = context.used
    return state
  }

  private func pause(
    _ wait: Duration, after error: RequestError, _ context: CallContext, attempts: Int
  ) async throws {
    context.events?.retrying(after: wait, because: error)
    defer { context.events?.tell(.waited(.backoff(wait))) }
    do {
      try await context.cancellation.interrupting { [timeline] in try await timeline.sleep(wait) }
    } catch var error as RequestError {
      error.attempt = attempts
      throw error
    }
  }

  /// Returns how long to wait until the next attempt; nil if the call makes no other. If the reason is that
  /// the server asks for a longer wait, the error's message says so.
  private func wait(
    after error: inout RequestError, _ request: Request, _ context: CallContext
  ) -> Duration? {
    let state = state(of: request, context)
    let now = timeline.now()
    let remaining = context.deadline.map { $0 - (now - context.started) }
    let (failure, date) = (RetryState.Failure(error), date())
    let decision = random.withLock { random in
      state.decide(after: failure, remaining: remaining, date: date, random: &random)
    }
    switch decision {
    case .giveUp: return nil
    case .asksForMore(let limit, let isDeadline):
      if let asked = error.retryAfter { error.addWait(asked, limit, isDeadline: isDeadline) }
      return nil
    case .retry(let wait): return budget.withLock({ $0.retry(at: now) }) ? wait : nil
    }
  }
}

extension Request {
  /// Returns true if the server may get the request twice without harm: if it is idempotent, or has a key.
  /// - Parameter policy: The policy of a request without one.
  func mayRepeat(by policy: RetryPolicy) -> Bool {
    (options.retry ?? policy).methods.contains(method) || fields.contains("Idempotency-Key")
  }
}

extension RequestError {
  fileprivate mutating func addWait(_ asked: Duration, _ limit: Duration, isDeadline: Bool) {
    let wait = "it asks to wait for \(asked.formattedSeconds) (Retry-After)"
    addToMessage(
      isDeadline
        ? "\(wait), and \(limit.formattedSeconds) are left until the deadline"
        : "\(wait), but a call waits at most \(limit.formattedSeconds) (RetryPolicy.maxRetryAfter)")
  }
}
