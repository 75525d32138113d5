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
  /// What is not written down of an answer.
  var secrets = Secrets()

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
    /// What it tells about the server.
    var sign: OriginSign
    /// The response to what was delivered, where it must not be kept, but may be told.
    var told: OutboxAnswer?

    /// The outbox itself has given it back.
    static let returned = Ruling(outcome: .returned, hasReached: true, sign: .none)
  }

  /// - Parameters:
  ///   - counted: The tries that count, with this one.
  ///   - isRefusedAlone: Its credentials were refused before, and those of others were not since.
  ///   - date: The wall clock, for a `Retry-After` with a date.
  func ruling(
    on aTry: DeliveryTry, counted: Int, isRefusedAlone: Bool = false, date: Date,
    random: inout some RandomNumberGenerator
  ) -> Ruling {
    let hasReached = aTry.error.map { !$0.isNoWay } ?? true
    let sign = sign(of: aTry, date)
    let refused = { (reason: String, sign: OriginSign) in
      Ruling(outcome: .refused(reason: reason, answer(to: aTry)), hasReached: hasReached, sign: sign)
    }
    let failed = { (reason: String, next: Duration, counts: Bool) in
      Ruling(
        outcome: .failed(reason: reason, next: next, counts: counts, wasOffline: !hasReached),
        hasReached: hasReached, sign: sign)
    }
    let most = hasReached ? policy.maxBackoff : min(beat, policy.maxBackoff)
    let wait = max(
      .jitter(after: aTry.number, backoff: policy.backoff, most: most, using: &random), retryAfter(aTry, date)
    )
    switch policy.judge(aTry) {
    case .delivered:
      return Ruling(
        outcome: .delivered(answer(to: aTry)), hasReached: true, sign: sign,
        told: aTry.forbidsStoring ? wholeAnswer(to: aTry) : nil)
    case .refused(let reason): return refused(reason, sign)
    case .unauthorized(let reason):
      if isRefusedAlone {
        return refused("\(reason), again, and others were accepted meanwhile", .answered)
      }
      if !policy.pausesUnauthorized { return refused(reason, .answered) }
      var ruling = failed(reason, wait, false)
      ruling.sign = .unauthorized(reason: reason)
      return ruling
    case .again(let reason):
      let counts = hasReached && !aTry.isClientGone
      if counts, let most = policy.maxTries, counted >= most {
        return refused("tried \(counted) times; \(reason)", sign)
      }
      return failed(reason, wait, counts)
    }
  }

  private func sign(of aTry: DeliveryTry, _ date: Date) -> OriginSign {
    guard let status = aTry.status else { return aTry.signWithoutStatus }
    let said = "the server answered \(status)"
    switch status.rawValue {
    case 429, 503:
      let wait = retryAfter(aTry, date)
      return wait > .zero
        ? .busy(reason: "\(said), with Retry-After", for: wait) : .failed(reason: said, hasAnswered: true)
    case 500...: return .failed(reason: said, hasAnswered: true)
    default: return .answered
    }
  }

  private func retryAfter(_ aTry: DeliveryTry, _ date: Date) -> Duration {
    min(aTry.fields?["Retry-After"].flatMap(RetryAfter.init)?.wait(from: date) ?? .zero, policy.maxRetryAfter)
  }

  /// The part of the response that is kept: of one that must not be, its status, which says how the request ended.
  private func answer(to aTry: DeliveryTry) -> OutboxAnswer? {
    let answer = wholeAnswer(to: aTry)
    guard let answer, aTry.forbidsStoring else { return answer }
    return OutboxAnswer(
      status: answer.status, fields: [:], body: Data(), isWhole: answer.isWhole && answer.body.isEmpty,
      limit: 0)
  }

  private func wholeAnswer(to aTry: DeliveryTry) -> OutboxAnswer? {
    switch aTry.result {
    case .success(let response):
      return OutboxAnswer(
        status: response.status, fields: response.fields.hiding(secrets), body: response.data, isWhole: true,
        limit: answerLimit)
    case .failure(let error as RequestError):
      guard let status = error.status else { return nil }
      let isWhole = error.code == .rejected && (error.bodyPrefix?.count ?? 0) < 64 << 10
      return OutboxAnswer(
        status: status, fields: error.fields?.hiding(secrets) ?? [:], body: error.bodyPrefix ?? Data(),
        isWhole: isWhole,
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

  fileprivate var status: Status? {
    switch result {
    case .success(let response): response.status
    case .failure: error?.status
    }
  }

  /// The request or its response says `Cache-Control: no-store`.
  fileprivate var forbidsStoring: Bool { request.fields.forbidStoring || fields?.forbidStoring ?? false }

  /// The client was shut down before the outbox: that is no attempt.
  fileprivate var isClientGone: Bool { error?.cancellation == .clientShutDown }

  /// What it tells about a server that has answered nothing.
  fileprivate var signWithoutStatus: OriginSign {
    guard case .failure(let failure) = result else { return .answered }
    switch error?.code {
    case .invalidRequest?, .unsupported?, .bodyNotReplayable?, .fileUnreadable?, .fileChanged?: return .none
    default: return .failed(reason: error?.message ?? "\(failure)", hasAnswered: false)
    }
  }
}

extension RequestError {
  /// True if nothing of the request can have reached the server, because there was no way there.
  fileprivate var isNoWay: Bool { !reachedServer && [.cannotResolveHost, .cannotConnect].contains(code) }
}
