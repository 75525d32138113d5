import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Turns what a try brought into what is written down. Pure: the time and the random number come in.
struct DeliveryRule: Sendable {
  let policy: DeliveryPolicy
  /// While there is no way to the server: no wait is longer, however often that happened.
  let beat: Duration
  let answerLimit: Int

  /// What follows from a try.
  struct Ruling: Sendable {
    enum Outcome: Sendable, Hashable {
      case delivered(OutboxAnswer?)
      case failed(reason: String, next: Duration, counts: Bool, wasOffline: Bool)
      case refused(reason: String, OutboxAnswer?)
      case returned
    }

    var outcome: Outcome
    /// False if there was no way to the server.
    var hasReached: Bool
  }

  /// - Parameters:
  ///   - counted: The tries that count, with this one.
  ///   - date: The wall clock, for a `Retry-After` with a date.
  func ruling(
    on aTry: DeliveryTry, counted: Int, date: Date, random: inout some RandomNumberGenerator
  ) -> Ruling {
    if case .failure(let error) = aTry.result, error.isCancellation {
      return Ruling(outcome: .returned, hasReached: true)
    }
    let error = aTry.error
    let hasReached = error.map { !$0.isNoWay } ?? true
    switch policy.judge(aTry) {
    case .delivered: return Ruling(outcome: .delivered(answer(to: aTry)), hasReached: true)
    case .refused(let reason):
      return Ruling(outcome: .refused(reason: reason, answer(to: aTry)), hasReached: hasReached)
    case .again(let reason):
      if hasReached, let most = policy.maxTries, counted >= most {
        return Ruling(
          outcome: .refused(reason: "tried \(counted) times; \(reason)", answer(to: aTry)), hasReached: true)
      }
      let most = hasReached ? policy.maxBackoff : min(beat, policy.maxBackoff)
      let wait = max(
        .jitter(after: aTry.number, backoff: policy.backoff, most: most, using: &random),
        min(retryAfter(aTry, date), policy.maxRetryAfter))
      return Ruling(
        outcome: .failed(reason: reason, next: wait, counts: hasReached, wasOffline: !hasReached),
        hasReached: hasReached)
    }
  }

  private func retryAfter(_ aTry: DeliveryTry, _ date: Date) -> Duration {
    aTry.fields?["Retry-After"].flatMap(RetryAfter.init)?.wait(from: date) ?? .zero
  }

  private func answer(to aTry: DeliveryTry) -> OutboxAnswer? {
    switch aTry.result {
    case .success(let response):
      return OutboxAnswer(
        status: response.status, fields: response.fields, body: response.data, isWhole: true,
        limit: answerLimit)
    case .failure(let error as RequestError):
      guard let status = error.status else { return nil }
      let isWhole = error.code == .rejected && (error.bodyPrefix?.count ?? 0) < 64 << 10
      return OutboxAnswer(
        status: status, fields: error.fields ?? [:], body: error.bodyPrefix ?? Data(), isWhole: isWhole,
        limit: answerLimit)
    case .failure: return nil
    }
  }
}

extension DeliveryTry {
  fileprivate var error: RequestError? {
    if case .failure(let error) = result { error as? RequestError } else { nil }
  }

  fileprivate var fields: HTTPFields? {
    switch result {
    case .success(let response): response.fields
    case .failure: error?.fields
    }
  }
}

extension RequestError {
  /// True if nothing of the request can have reached the server, because there was no way there.
  fileprivate var isNoWay: Bool { !reachedServer && [.cannotResolveHost, .cannotConnect].contains(code) }
}
