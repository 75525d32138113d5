import ErrandCore

/// Decides how an event stream goes on after a connection has ended. Pure.
struct EventStreamState: Sendable {
  /// The end of a connection.
  enum Ending {
    /// The response was 204, with which a server ends the stream.
    case noContent
    /// The body has ended.
    case closed
    case failed(RequestError)
  }

  /// The step after the end of a connection.
  enum Step {
    /// The stream has no further events.
    case finish
    case fail(RequestError)
    /// Waits, and connects again.
    case reconnect(EventReconnection)
  }

  /// The failures after which a new connection may help.
  private static let failures = RetryPolicy().failures
  private static let statuses = RetryPolicy().statuses

  /// True if a request may be sent again although the server may have acted on it.
  private let isRepeatable: Bool
  /// True if that holds until the stream has begun, for as many attempts as other requests have.
  private let hasKey: Bool
  private let backoff: Duration
  private let maxBackoff: Duration
  private let maxRetry: Duration
  /// The wait that the stream has asked for with `retry`.
  private var retry: Duration?
  /// The connections that have ended since the last event.
  private var fruitless = 0
  private var hasOpened = false
  /// The connections that failed after the server may have got the request.
  private var reached = 0

  /// - Parameters:
  ///   - isRepeatable: True if a request may be sent again although the server may have acted on it.
  ///   - hasKey: True if the server recognizes a repeat of the request by its idempotency key.
  init(_ options: EventStreamOptions, isRepeatable: Bool, hasKey: Bool) {
    (self.isRepeatable, self.hasKey) = (isRepeatable, hasKey)
    (backoff, maxBackoff) = (max(.zero, options.backoff), max(.zero, options.maxBackoff))
    maxRetry = max(.zero, options.maxRetry)
  }

  /// Notes that a connection has the head of an event stream.
  mutating func opened() { hasOpened = true }

  /// Notes that events have come, or a new time for `retry`.
  /// - Parameter retry: The time in milliseconds; nil if the stream has set none.
  mutating func received(_ count: Int, retry: Int64?) {
    if count > 0 { fruitless = 0 }
    if let retry { self.retry = .milliseconds(retry) }
  }

  /// - Parameters:
  ///   - retryAfter: The wait of the response's `Retry-After`; nil if it has none.
  ///   - random: A random number, 0 ..< 1.
  mutating func ended(_ ending: Ending, retryAfter: Duration?, random: Double) -> Step {
    var reason: RequestError?
    switch ending {
    case .noContent: return .finish
    case .closed:
      guard isRepeatable else { return .finish }
    case .failed(let error):
      if error.reachedServer { reached += 1 }
      guard mayHelp(error) else { return .fail(error) }
      reason = error
    }
    fruitless += 1
    return .reconnect(
      EventReconnection(
        error: reason, attempt: fruitless, hasOpened: hasOpened, delay: delay(retryAfter, random)))
  }

  private func mayHelp(_ error: RequestError) -> Bool {
    let mayRepeat = hasKey && !hasOpened && reached < RetryPolicy().maxAttempts
    guard isRepeatable || mayRepeat || !error.reachedServer else { return false }
    if error.code == .rejected, let status = error.status { return Self.statuses.contains(status.code) }
    return Self.failures.contains(error.code)
  }

  /// The shortest wait that a server gets with `retry`, so that a stream of short connections does not flood it.
  private static let shortestRetry = Duration.milliseconds(100)

  /// The first reconnection waits for as long as the server wants. Each further one without an event in between waits
  /// twice as long, so that a server in trouble has time. Up to half is added at random, so that many clients do not
  /// come back at once.
  private func delay(_ retryAfter: Duration?, _ random: Double) -> Duration {
    let base = min(retry.map { max($0, Self.shortestRetry) } ?? backoff, maxRetry)
    var wait = base
    if fruitless > 1 {
      let growing = max(base, backoff) * (1 << min(fruitless - 1, 20))
      wait = max(base, min(growing, maxBackoff))
    }
    wait = max(wait, min(retryAfter ?? .zero, maxRetry))
    return wait + wait * (random / 2)
  }
}
