import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends one request, and records how that ended.
extension Dispatcher {
  func deliver(_ claimed: ClaimedRow) async {
    let conclusion = await conclusion(on: claimed)
    var finished = FinishedAttempt(
      lease: claimed.lease, outcome: stored(conclusion.outcome, of: claimed.row.id))
    hub.remember(conclusion.told, of: claimed.row.id)
    let hasReached: Bool? = if case .returned = conclusion.outcome { nil } else { conclusion.hasReached }
    let now = timeline.now()
    proceed { work in
      let news = work.state.responded(claimed.lease, conclusion.sign, hasReached: hasReached, at: now)
      finished.news = news.map { self.news($0.change, of: $0.origin, claimed) }
      if case .hold(_, _, let length)? = news?.change { finished.outcome.wait(longerThan: length) }
      work.inFlight.end(finished)
    }
  }

  private func conclusion(on claimed: ClaimedRow) async -> RetryRule.Conclusion {
    guard holds(claimed.lease) else { return .returned }
    hub.publish([claimed.row])
    let result: Result<Response, any Error>
    let stored: Request
    do {
      stored = try storage.request(of: claimed)
    } catch {
      return RetryRule.Conclusion(outcome: .refused(reason: "\(error)", nil), hasReached: true, sign: .none)
    }
    do {
      try await store.begin([claimed.lease])
      Failpoint.hit(.beforeSend)
      // The machine may have slept during the waits above, and another owner may have the row.
      guard holds(claimed.lease) else { return .returned }
      let priority = Priority(rawValue: UInt8(clamping: claimed.row.priority))
      result = .success(
        try await client.send(request(stored, priority: priority, expires: claimed.row.expires)))
    } catch {
      result = .failure(error)
    }
    Failpoint.hit(.afterResponse)
    if case .failure(let error) = result, error.isCancellation, wasGivenBack(claimed.lease) {
      return .returned
    }
    let isRefusedAlone = work.withLock { $0.state.origins.isRefusedAlone(claimed.lease) }
    var random = random
    return rule.conclusion(
      on: DeliveryAttempt(request: stored, number: claimed.row.attempts, result: result),
      counted: claimed.row.countedAttempts, isRefusedAlone: isRefusedAlone,
      date: Date(milliseconds: configuration.time().wall), random: &random)
  }

  /// True if the outbox itself cancelled the attempt, because it is closing or because another owner has the
  /// row.
  private func wasGivenBack(_ lease: Lease) -> Bool {
    work.withLock { $0.isCancelling || $0.inFlight.isLost(lease) }
  }

  /// - Parameter expires: When the row expires, in milliseconds since 1970: no attempt lasts longer.
  private func request(_ stored: Request, priority: Priority?, expires: Int64?) -> Request {
    var options = stored.options
    options.deadline = expires.map { .milliseconds(max(1, $0 - configuration.time().wall)) }
    options.retry = .never
    options.redirects = options.redirects ?? configuration.delivery.redirects
    options.priority = priority ?? .default
    // The outbox has its own limits.
    options.takesNoSlot = true
    // A longer response counts as a response, too: see `DeliveryDecision.standard`.
    options.memoryLimit = max(configuration.responseLimit, 1 << 20)
    var request = stored
    request.options = options
    return request
  }

  // MARK: Recording

  /// Returns an outcome in the form in which the store keeps it.
  private func stored(
    _ outcome: RetryRule.Conclusion.Outcome, of id: OutboxID
  ) -> FinishedAttempt.Outcome {
    switch outcome {
    case .delivered(let response): .delivered(response: storage.wrapped(response ?? .unknown, of: id))
    case .failed(let reason, let next, let counts, let wasOffline):
      .failed(reason: reason, next: next, counts: counts, wasOffline: wasOffline)
    case .refused(let reason, let response):
      .refused(reason: reason, response: response.map { storage.wrapped($0, of: id) })
    case .returned: .returned
    }
  }

  /// Returns a change of an origin in the form in which the store keeps it.
  private func news(_ change: OriginChange, of origin: String, _ claimed: ClaimedRow) -> OriginNews {
    switch change {
    case .hold(let kind, let reason, let length):
      let label = (try? storage.request(of: claimed).url).map(storage.originLabel) ?? Data()
      return OriginNews(origin: origin, change: .hold(kind, reason: reason, label: label, for: length))
    case .release: return OriginNews(origin: origin, change: .release)
    }
  }

  /// Records ends of attempts, and repeats that until it works: a request that a server has accepted must not
  /// be sent again because a disk was full for a moment. It stops only if the store is closed or the outbox
  /// is cancelling.
  func record(_ batch: [FinishedAttempt]) async {
    var pause = Duration.milliseconds(100)
    var isDone = false
    while true {
      do {
        Failpoint.hit(.beforeRecord)
        let results = try await store.finish(batch, at: configuration.time())
        Failpoint.hit(.afterRecord)
        hub.publish(results.compactMap(\.row))
        await storage.folder.remove(results.flatMap(\.files))
        isDone = true
        break
      } catch {
        configuration.report(error)
        let isClosed = (error as? OutboxError)?.code == .closed
        let givesUp = work.withLock { work in
          work.state.isStuck = true
          return isClosed || work.isCancelling
        }
        // The leases end, and the requests are sent again.
        if givesUp { break }
        try? await timeline.sleep(pause)
        pause = min(pause * 2, .seconds(5))
      }
    }
    hub.forgetResponses(of: batch.map(\.lease.id))
    proceed { [isDone] work in work.endRecording(batch, isDone: isDone) }
  }
}

extension FinishedAttempt.Outcome {
  /// Delays a failed request beyond the hold of its origin. Otherwise it would be the next probe again, and
  /// requests that may get through would never be attempted.
  fileprivate mutating func wait(longerThan hold: Duration) {
    guard case .failed(let reason, let next, let counts, let wasOffline) = self else { return }
    let longer = hold + max(.milliseconds(20), min(hold / 8, .seconds(1)))
    self = .failed(reason: reason, next: max(next, longer), counts: counts, wasOffline: wasOffline)
  }
}
