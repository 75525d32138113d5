import ErrandCore
import ErrandUploads

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Turns the result of an attempt into the outcome that is recorded. Pure: the time and the random numbers
/// are parameters.
struct RetryRule: Sendable {
  let policy: DeliveryPolicy
  /// The longest wait while no connection can be made, however often connecting failed.
  let pollInterval: Duration
  let responseLimit: Int
  /// The secrets of a response that are not stored.
  var secrets = Secrets()
  /// True to add the server's words to the reasons. False for an encrypted outbox, because reasons are stored
  /// as plain text.
  var quotes = false

  /// The consequences of an attempt.
  struct Conclusion: Sendable {
    var outcome: AttemptOutcome<OutboxResponse>
    /// False if no connection to the server could be made; nil if the attempt does not show whether one can.
    var hasReached: Bool?
    /// The sign that the attempt gives of its origin.
    var sign: OriginSign
    /// The response to a delivered request that must not be stored, but may be published.
    var told: OutboxResponse?
    /// True if the store may have an upload of the row.
    var hasUpload = false

    /// The outbox itself gave the request back.
    static let returned = Conclusion(outcome: .returned, hasReached: nil, sign: .none)

    /// The rate limit allows the request only after this time.
    static func overRate(wait: Duration) -> Conclusion {
      Conclusion(outcome: .returned, hasReached: nil, sign: .overRate(wait: wait))
    }
  }

  /// Returns the consequences of an attempt.
  /// - Parameters:
  ///   - counted: The number of attempts that count, this one included.
  ///   - isRefusedAlone: True if this request's credentials were refused before, and other requests were
  ///     accepted since.
  ///   - date: The wall clock, for a `Retry-After` with a date.
  func conclusion(
    on attempt: DeliveryAttempt, counted: Int, isRefusedAlone: Bool = false, date: Date,
    random: inout some RandomNumberGenerator
  ) -> Conclusion {
    if case .failure(let error) = attempt.result {
      switch FailureCause(of: error) {
      case .store, .process: return givenBack(attempt, error, using: &random)
      case .request, .server: break
      }
    }
    let isForOther = attempt.error?.code == .otherIdentity
    let hasReached = attempt.error.map { !$0.isNoWay } ?? true
    let sign = sign(of: attempt, date)
    let rejected = { (reason: String, sign: OriginSign) in
      Conclusion(
        outcome: .rejected(reason: reason, response: response(to: attempt)), hasReached: hasReached,
        sign: sign
      )
    }
    let failed = { (reason: String, next: Duration, counts: Bool) in
      Conclusion(
        // A request that waits for its identity is due when that user signs in.
        outcome: .failed(
          reason: quoted(reason, attempt), next: next, counts: counts, wasOffline: !hasReached || isForOther),
        hasReached: hasReached, sign: sign)
    }
    let most = hasReached ? policy.maxBackoff : min(pollInterval, policy.maxBackoff)
    // A random number costs a system call, and most attempts need none.
    func wait() -> Duration {
      max(
        .jitter(after: attempt.failures, backoff: policy.backoff, most: most, using: &random),
        retryAfter(attempt, date))
    }
    switch policy.classify(attempt) {
    case .delivered:
      return Conclusion(
        outcome: .delivered(response: response(to: attempt) ?? .unknown), hasReached: true, sign: sign,
        told: attempt.forbidsStoring ? wholeResponse(to: attempt) : nil)
    case .reject(let reason): return rejected(reason, sign)
    case .unauthorized(let reason):
      // Without a status, the client had no credential, and the request is not at fault.
      let isOfServer = attempt.status != nil
      if isRefusedAlone, isOfServer {
        return rejected("\(reason), again, and others were accepted meanwhile", .responded)
      }
      if !policy.pausesUnauthorized { return rejected(reason, .responded) }
      var conclusion = failed(reason, wait(), false)
      conclusion.sign =
        isOfServer
        ? .unauthorized(reason: quoted(reason, attempt)) : .withoutCredential(reason: reason)
      return conclusion
    case .retry(let reason, let after):
      let counts = hasReached && !isForOther && attempt.madeProgress != true
      if counts, let most = mostAttempts(after: attempt), counted >= most {
        return rejected("attempted \(counted) times; \(reason)", sign)
      }
      if let limit = policy.giveUpAfter, !isForOther,
        date.timeIntervalSince(attempt.storedAt) >= limit.seconds
      {
        return rejected("not delivered within \(limit.formattedSeconds); \(reason)", sign)
      }
      return failed(reason, max(wait(), min(after ?? .zero, .longest)), counts)
    }
  }

  /// Returns the consequences for a row whose request cannot be read.
  func conclusion(onUnreadable error: OutboxError) -> Conclusion {
    guard error.isOfProgram else {
      return Conclusion(
        outcome: .rejected(reason: error.message, response: nil), hasReached: true, sign: .none)
    }
    // Another process may be able to read it, or the next version of this program.
    return Conclusion(
      outcome: .failed(reason: error.message, next: pollInterval, counts: false, wasOffline: false),
      hasReached: nil, sign: .none)
  }

  /// A conflict that no earlier attempt caused does not go away by waiting, and neither does an upload about which the
  /// server contradicts itself.
  private static let mostContradictions = 5

  private func mostAttempts(after attempt: DeliveryAttempt) -> Int? {
    let isConflict = attempt.status == 409 && !attempt.namesIdempotency
    let isOfUpload = attempt.madeProgress != nil && attempt.error?.underlying is UploadFailure
    guard isConflict || isOfUpload else { return policy.maxAttempts }
    return min(policy.maxAttempts ?? .max, Self.mostContradictions)
  }

  /// Returns the consequences of an attempt that failed through no fault of the request or its server. The
  /// attempt does not count, and the request keeps its place.
  private func givenBack(
    _ attempt: DeliveryAttempt, _ error: any Error, using random: inout some RandomNumberGenerator
  ) -> Conclusion {
    let wait = Duration.jitter(
      after: attempt.number, backoff: policy.backoff, most: min(policy.maxBackoff, Self.longestPause),
      using: &random)
    let reason = (error as? RequestError)?.message ?? error.shown
    return Conclusion(
      outcome: .failed(
        reason: reason, next: max(wait, .milliseconds(100)), counts: false, wasOffline: false),
      hasReached: nil, sign: .none)
  }

  /// The longest wait after a failure of the store or of this process: such a failure may end at any moment.
  private static let longestPause = Duration.seconds(5)

  private func sign(of attempt: DeliveryAttempt, _ date: Date) -> OriginSign {
    guard let status = attempt.status else { return attempt.signWithoutStatus }
    let said = "the server responded with \(status)"
    let wait = [429, 503].contains(status.code) ? retryAfter(attempt, date) : .zero
    if wait > .zero {
      return .busy(reason: quoted("\(said), with Retry-After\(cut(attempt, date))", attempt), for: wait)
    }
    switch status.code {
    case 429 where attempt.isRefused: return .failed(reason: quoted(said, attempt), .responded)
    // A response that the request accepts is a success, whatever its status.
    case 500... where attempt.isRefused: return .failed(reason: quoted(said, attempt), .responded)
    default: return .responded
    }
  }

  private func retryAfter(_ attempt: DeliveryAttempt, _ date: Date) -> Duration {
    min(asked(attempt, date), policy.maxRetryAfter)
  }

  /// How long the server asked to wait.
  private func asked(_ attempt: DeliveryAttempt, _ date: Date) -> Duration {
    attempt.fields.flatMap { RetryAfter(of: $0) }?.wait(from: date) ?? .zero
  }

  /// Returns words for a reason if the wait is shorter than the server asked for.
  private func cut(_ attempt: DeliveryAttempt, _ date: Date) -> String {
    let asked = asked(attempt, date)
    return asked > policy.maxRetryAfter
      ? " of \(asked.formattedSeconds), which is cut to \(policy.maxRetryAfter.formattedSeconds)" : ""
  }

  /// Returns the reason with the server's words, if the response may be stored. The reason of a dead letter
  /// gets them from its response when it is read.
  private func quoted(_ reason: String, _ attempt: DeliveryAttempt) -> String {
    guard quotes, let words = response(to: attempt)?.words(hiding: secrets) else { return reason }
    return reason + ServerWords.clause(words)
  }

  /// Returns the part of the response that is stored. If the response must not be stored, that is only its
  /// status, which shows how the request ended.
  private func response(to attempt: DeliveryAttempt) -> OutboxResponse? {
    let response = wholeResponse(to: attempt)
    guard let response, attempt.forbidsStoring else { return response }
    return OutboxResponse(
      status: response.status, fields: [:], body: Data(), isWhole: response.isWhole && response.body.isEmpty,
      limit: 0)
  }

  private func wholeResponse(to attempt: DeliveryAttempt) -> OutboxResponse? {
    switch attempt.result {
    case .success(let response):
      return OutboxResponse(
        status: response.status, fields: response.fields.hiding(secrets), body: response.data, isWhole: true,
        limit: responseLimit)
    case .failure(let error as RequestError):
      guard let status = error.status else { return nil }
      let isWhole = error.code == .rejected && (error.bodyPrefix?.count ?? 0) < 64 << 10
      return OutboxResponse(
        status: status, fields: error.fields?.hiding(secrets) ?? [:], body: error.bodyPrefix ?? Data(),
        isWhole: isWhole,
        limit: responseLimit)
    case .failure: return nil
    }
  }
}

extension OutboxError {
  /// True if a row cannot be read because this program is too old for it, or has not its key. The row is intact.
  var isOfProgram: Bool { code == .tooNew || code == .wrongKey }
}

extension DeliveryAttempt {
  fileprivate var error: RequestError? {
    if case .failure(let error) = result { error as? RequestError } else { nil }
  }

  /// True unless the request accepts the status of its response.
  fileprivate var isRefused: Bool { status.map { !request.accepts($0) } ?? true }

  fileprivate var fields: HTTPFields? {
    switch result {
    case .success(let response): response.fields
    case .failure: error?.fields
    }
  }

  fileprivate var status: HTTPStatus? {
    switch result {
    case .success(let response): response.status
    case .failure: error?.status
    }
  }

  /// True if the body names idempotency, as the draft suggests: an earlier attempt is in progress.
  fileprivate var namesIdempotency: Bool {
    let bytes =
      switch result {
      case .success(let response): response.data.prefix(8 << 10)
      case .failure: error?.bodyPrefix?.prefix(8 << 10) ?? Data()
      }
    return ASCII.lowercased(String(decoding: bytes, as: UTF8.self)).contains("idempotency")
  }

  /// True if the request or its response says `Cache-Control: no-store`.
  fileprivate var forbidsStoring: Bool { request.fields.forbidStoring || fields?.forbidStoring ?? false }

  /// True if the request itself may be the cause of the missing response: the server received it, or its
  /// timeout was too short.
  private var mayBeItsOwn: Bool {
    guard let error else { return false }
    let hasOwnTime = request.options.timeout != nil || request.options.deadline != nil
    return error.reachedServer || error.code == .timedOut && hasOwnTime
  }

  /// The sign that an attempt without a response gives of its origin.
  fileprivate var signWithoutStatus: OriginSign {
    guard case .failure(let failure) = result else { return .responded }
    if FailureCause(of: failure) == .request || error?.code == .otherIdentity { return .none }
    if madeProgress == true { return .responded }
    return .failed(reason: error?.message ?? failure.shown, mayBeItsOwn ? .silent : .unreachable)
  }
}

extension RequestError {
  /// True if no part of the request can have reached the server, because no connection could be made. An
  /// invalid client configuration is such a case: the request is not at fault.
  fileprivate var isNoWay: Bool {
    let codes: [Code] = [
      .cannotResolveHost, .cannotConnect, .proxyAuthenticationFailed, .invalidConfiguration,
    ]
    return !reachedServer && codes.contains(code)
  }
}
