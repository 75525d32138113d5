#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides, after each failed attempt of one call, whether and when to make another. Pure: the time and the
/// random number are parameters, and the caller asks the budget.
struct RetryState: Sendable {
  struct Failure: Sendable {
    var code: RequestError.Code
    var status: HTTPStatus?
    var reachedServer: Bool
    var retryAfter: RetryAfter?

    init(_ error: RequestError) {
      code = error.code
      status = error.rejection == nil ? nil : error.status
      reachedServer = error.reachedServer
      retryAfter = error.fields.flatMap { RetryAfter(of: $0) }
    }
  }

  enum Decision: Sendable, Hashable {
    case giveUp
    /// The server asks to wait longer than the call may wait.
    case asksForMore(than: Duration, isDeadline: Bool)
    case retry(after: Duration)
  }

  private let policy: RetryPolicy
  private let mayRepeat: Bool
  private let isReplayable: Bool
  /// The number of attempts that have begun.
  var attempts = 0

  init(policy: RetryPolicy, method: HTTPMethod, hasIdempotencyKey: Bool, isReplayable: Bool) {
    self.policy = policy
    mayRepeat = hasIdempotencyKey || policy.methods.contains(method)
    self.isReplayable = isReplayable
  }

  /// Returns true if this failure may be retried at all. Only then are the budget and the deadline checked.
  func mayRetry(_ failure: Failure) -> Bool {
    guard attempts < policy.maxAttempts, isReplayable, mayRepeat || !failure.reachedServer else {
      return false
    }
    if let status = failure.status { return policy.statuses.contains(status.code) }
    return policy.failures.contains(failure.code)
  }

  /// Decides whether and when to make another attempt.
  /// - Parameters:
  ///   - remaining: The time until the deadline; nil without one.
  ///   - date: The wall-clock time, for a `Retry-After` with a date.
  func decide(
    after failure: Failure, remaining: Duration?, date: Date, random: inout some RandomNumberGenerator
  ) -> Decision {
    guard mayRetry(failure) else { return .giveUp }
    let asked = failure.retryAfter?.wait(from: date) ?? .zero
    // An early attempt would be rejected again, and burden a server in trouble.
    if asked > policy.maxRetryAfter {
      return .asksForMore(than: policy.maxRetryAfter, isDeadline: false)
    }
    let wait = max(
      .jitter(after: attempts, backoff: policy.backoff, most: policy.maxBackoff, using: &random), asked)
    // A wait past the deadline would only delay the failure.
    if let remaining, wait >= remaining {
      return asked > .zero && asked >= remaining
        ? .asksForMore(than: max(remaining, .zero), isDeadline: true) : .giveUp
    }
    return .retry(after: wait)
  }
}

extension Duration {
  /// Returns the wait after the n-th attempt: random between zero and `backoff · 2ⁿ⁻¹`, or `most` if that is
  /// shorter (full jitter).
  package static func jitter(
    after attempts: Int, backoff: Duration, most: Duration, using random: inout some RandomNumberGenerator
  ) -> Duration {
    let doubled = backoff.seconds * Double(sign: .plus, exponent: min(attempts - 1, 60), significand: 1)
    let ceiling = min(doubled, most.seconds)
    guard ceiling > 0 else { return .zero }
    return .seconds(Double.random(in: 0...ceiling, using: &random))
  }
}

/// Counts the retries that a client may make, so that a server in trouble is not flooded. In any ten seconds,
/// they are at most `ratio` of the calls that were made, plus `minimumPerSecond` for clients that make few
/// calls.
struct RetryBudgetState: Sendable {
  private static let window = 10

  private struct Second {
    var index = Int.min
    var calls = 0
    var retries = 0
  }

  private let budget: RetryBudget
  private var seconds = [Second](repeating: Second(), count: window)

  init(_ budget: RetryBudget) { self.budget = budget }

  mutating func call(at now: Duration) {
    seconds[slot(now)].calls += 1
  }

  /// Takes a retry out of the budget; returns false if the budget is used up.
  mutating func retry(at now: Duration) -> Bool {
    let slot = slot(now)
    let oldest = second(now) - Self.window
    let recent = seconds.filter { $0.index > oldest }
    let allowed =
      Double(budget.minimumPerSecond) * Double(Self.window)
      + budget.ratio * Double(recent.reduce(0) { $0 + $1.calls })
    guard Double(recent.reduce(0) { $0 + $1.retries }) < allowed else { return false }
    seconds[slot].retries += 1
    return true
  }

  private mutating func slot(_ now: Duration) -> Int {
    let index = second(now)
    let slot = index % Self.window
    if seconds[slot].index != index { seconds[slot] = Second(index: index) }
    return slot
  }

  // Not `components`, which costs ten times as much. Each call is counted.
  private func second(_ now: Duration) -> Int { now.wholeMilliseconds / 1000 }
}

/// A client's limit on retries.
public struct RetryBudget: Sendable, Hashable {
  /// The number of retries per call, over ten seconds. Default: 0.2.
  package var ratio = 0.2
  /// The number of retries per second that are always allowed. Default: 10.
  package var minimumPerSecond = 10

  /// Creates a budget.
  /// - Parameters:
  ///   - ratio: The number of retries per call, over ten seconds. Default: 0.2.
  ///   - minimumPerSecond: The number of retries per second that are always allowed. Default: 10.
  public init(ratio: Double = 0.2, minimumPerSecond: Int = 10) {
    self.ratio = ratio
    self.minimumPerSecond = minimumPerSecond
  }
}
