import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One request is sent, and how that ended is recorded.
extension Courier {
  func deliver(_ claimed: ClaimedRow) async {
    let ruling = await ruling(on: claimed)
    var finished = FinishedTry(
      lease: claimed.lease, outcome: desk.outcome(ruling.outcome, of: claimed.row.id))
    desk.keepUntilTold(ruling.told, of: claimed.row.id)
    let hasReached: Bool? = if case .returned = ruling.outcome { nil } else { ruling.hasReached }
    let now = timeline.now()
    goOn { work in
      let news = work.state.answered(claimed.lease, ruling.sign, hasReached: hasReached, at: now)
      finished.news = news.map { desk.news($0.change, of: $0.origin, claimed) }
      if case .hold(_, _, let length)? = news?.change { finished.outcome.wait(longerThan: length) }
      work.hand.end(finished)
    }
  }

  private func ruling(on claimed: ClaimedRow) async -> DeliveryRule.Ruling {
    guard holds(claimed.lease) else { return .returned }
    desk.tell([claimed.row])
    let result: Result<Response, any Error>
    let stored: Request
    do {
      stored = try desk.request(of: claimed)
    } catch {
      return DeliveryRule.Ruling(outcome: .refused(reason: "\(error)", nil), hasReached: true, sign: .none)
    }
    do {
      try await desk.store.begin([claimed.lease])
      Failpoint.hit(.beforeSend)
      // Whatever was waited for up to here, the machine may have slept meanwhile, and another may have it.
      guard holds(claimed.lease) else { return .returned }
      let priority = Priority(rawValue: UInt8(clamping: claimed.row.priority))
      result = .success(
        try await client.send(request(stored, priority: priority, expires: claimed.row.expires)))
    } catch {
      result = .failure(error)
    }
    Failpoint.hit(.afterAnswer)
    if case .failure(let error) = result, error.isCancellation, wasGivenBack(claimed.lease) {
      return .returned
    }
    let isRefusedAlone = work.withLock { $0.state.origins.isRefusedAlone(claimed.lease) }
    return desk.ruling(
      on: DeliveryTry(request: stored, number: claimed.row.tries, result: result),
      counted: claimed.row.countedTries, isRefusedAlone: isRefusedAlone)
  }

  /// True if it was the outbox that has cancelled it, because it ends or because another has the request.
  private func wasGivenBack(_ lease: Lease) -> Bool {
    work.withLock { $0.isCancelling || $0.hand.isLost(lease) }
  }

  /// - Parameter expires: When its row does, in milliseconds since 1970: no attempt goes on for longer.
  private func request(_ stored: Request, priority: Priority?, expires: Int64?) -> Request {
    var options = stored.options
    options.deadline = expires.map { .milliseconds(max(1, $0 - configuration.time().wall)) }
    options.retry = .never
    options.redirects = options.redirects ?? configuration.delivery.redirects
    options.priority = priority ?? .default
    // The outbox has limits of its own.
    options.takesNoSlot = true
    // A longer answer is an answer all the same: see `Verdict.standard`.
    options.memoryLimit = max(configuration.answerLimit, 1 << 20)
    var request = stored
    request.options = options
    return request
  }

  /// Records what has ended. Does not give up: what a server has accepted must not be sent again because a disk was full for
  /// a moment.
  func record(_ batch: [FinishedTry]) async {
    var pause = Duration.milliseconds(100)
    var isDone = false
    while true {
      do {
        Failpoint.hit(.beforeRecord)
        let results = try await desk.store.finish(batch, at: configuration.time())
        Failpoint.hit(.afterRecord)
        desk.tell(results.compactMap(\.row))
        await desk.remove(results.flatMap(\.files))
        isDone = true
        break
      } catch {
        desk.report(error)
        let isClosed = (error as? OutboxError)?.code == .closed
        let givesUp = work.withLock { work in
          work.state.isStuck = true
          return isClosed || work.isCancelling
        }
        // Its leases end, and it is tried again.
        if givesUp { break }
        try? await timeline.sleep(pause)
        pause = min(pause * 2, .seconds(5))
      }
    }
    desk.forgetTold(batch.map(\.lease.id))
    goOn { [isDone] work in work.endRecording(batch, isDone: isDone) }
  }
}

extension FinishedTry.Outcome {
  /// Else the request that has failed would be the next probe of its origin again, and others that may get through would
  /// never be tried.
  fileprivate mutating func wait(longerThan hold: Duration) {
    guard case .failed(let reason, let next, let counts, let wasOffline) = self else { return }
    let longer = hold + max(.milliseconds(20), min(hold / 8, .seconds(1)))
    self = .failed(reason: reason, next: max(next, longer), counts: counts, wasOffline: wasOffline)
  }
}
