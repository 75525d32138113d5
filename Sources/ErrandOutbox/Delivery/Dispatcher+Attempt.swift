import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends one request, and records the end of the attempt.
extension Dispatcher {
  func deliver(_ claimed: ClaimedRow) async {
    let conclusion = await conclusion(on: claimed)
    let id = claimed.row.id
    var finished = FinishedAttempt(
      lease: claimed.lease,
      outcome: conclusion.outcome.map { storage.wrapped(response: $0.encoded(), of: id) })
    finished.hasUpload = conclusion.hasUpload
    hub.remember(conclusion.told, of: id)
    let label = conclusion.sign.mayHold ? originLabel(of: claimed) : Data()
    let now = timeline.now()
    proceed { [finished] in
      $0.ended(finished, conclusion.sign, hasReached: conclusion.hasReached, label: label, at: now)
    }
  }

  private func originLabel(of claimed: ClaimedRow) -> Data {
    storage.originAddress(from: claimed.content, of: claimed.row.id).map(storage.originLabel) ?? Data()
  }

  private func conclusion(on claimed: ClaimedRow) async -> RetryRule.Conclusion {
    guard holds(claimed.lease) else { return .returned }
    let parts: StoredRequest
    let opener: StoredBodyOpener
    do {
      (parts, opener) = try storage.stored(from: claimed.content, of: claimed.row.id)
    } catch {
      hub.publish([claimed.row])
      return rule.conclusion(onUnreadable: error)
    }
    if let wait = await wait(of: claimed, parts) { return .overRate(wait: wait) }
    hub.publish([claimed.row])
    guard await begin(claimed.lease) else { return .returned }
    let left = claimed.end.map { $0 - timeline.now() }
    // The store marks the row as expired at the next claim.
    if let left, left <= .zero { return .returned }
    let stored = parts.request(opening: opener)
    let priority = Priority(rawValue: UInt8(clamping: claimed.row.priority))
    let request = request(stored, priority: priority, deadline: left)
    let result: Result<Response, any Error>
    var madeProgress: Bool?
    var wentElsewhere = false
    if let resumption = parts.options.resumption?.resumption, parts.body.kind != .none {
      (result, madeProgress, wentElsewhere) = await upload(request, opener, parts, resumption, of: claimed)
    } else {
      do { result = .success(try await client.send(request)) } catch { result = .failure(error) }
    }
    Failpoint.hit(.afterResponse)
    if case .failure(let error) = result, error.isCancellation, wasGivenBack(claimed.lease) {
      return .returned
    }
    let isRefusedAlone = state.withLock { $0.origins.isRefusedAlone(claimed.lease) }
    var random = random
    var attempt = attempt(of: stored, claimed.row, result)
    if let madeProgress { attempt.take(madeProgress: madeProgress, counted: claimed.row.countedAttempts) }
    var conclusion = rule.conclusion(
      on: attempt, counted: claimed.row.countedAttempts, isRefusedAlone: isRefusedAlone,
      date: configuration.date(), random: &random)
    conclusion.hasUpload = madeProgress != nil
    // A failure of the server that keeps the upload says nothing about the origin of the request.
    if wentElsewhere, case .failure = result { conclusion.sign = .none }
    return conclusion
  }

  func attempt(of stored: Request, _ row: OutboxRow, _ result: Result<Response, any Error>) -> DeliveryAttempt
  {
    var attempt = DeliveryAttempt(
      request: stored, number: row.attempts, result: result,
      storedAt: Date(milliseconds: row.created))
    attempt.mayChangeOrigin =
      (stored.options.redirects ?? configuration.delivery.redirects).allowsOtherOrigins
    return attempt
  }

  /// Notes that a row is about to be sent, and repeats that until it works, as `record` does. A store that
  /// cannot be written is not a failure of the request's server.
  /// - Returns: False if another owner may have the row, or if the outbox is cancelling.
  private func begin(_ lease: Lease) async -> Bool {
    let held = await repeating(lease) {
      let held = try await store.begin([lease])
      // The store may have been away until the leases were nearly over.
      try await renewIfLate()
      return held
    }
    guard let held else { return false }
    Failpoint.hit(.beforeSend)
    // The machine may have slept during the waits above, and another owner may have the row.
    return held.contains(lease) && holds(lease)
  }

  /// Takes a token of the request's rate limit, if it has one.
  /// - Returns: How long the request has to wait; nil if it may be sent now.
  private func wait(of claimed: ClaimedRow, _ parts: StoredRequest) async -> Duration? {
    let limit = configuration.rateLimit(URL(string: parts.url), key: parts.options.key)
    guard let limit else { return nil }
    let origin = claimed.row.origin
    let pass = await repeating(claimed.lease) { try await store.takePass(origin, limit) }
    guard let pass else { return .zero }
    if pass.wait > .zero { return pass.wait }
    let now = timeline.now()
    proceed { $0.origins.rest(origin, until: now + pass.next, at: now) }
    return nil
  }

  /// Repeats an operation of the store until it works. A store that cannot be used is not a failure of the request's
  /// server.
  /// - Returns: Nil if another owner may have the row, or if the outbox is cancelling.
  private func repeating<Value>(_ lease: Lease, _ work: () async throws -> Value) async -> Value? {
    var pause = StorePause()
    while holds(lease), !wasGivenBack(lease) {
      do {
        return try await work()
      } catch {
        configuration.report(error)
        if (error as? OutboxError)?.code == .closed { return nil }
        try? await timeline.sleep(pause.next())
      }
    }
    return nil
  }

  /// True if the outbox itself cancelled the attempt, because it is closing or because another owner may have
  /// the row.
  private func wasGivenBack(_ lease: Lease) -> Bool {
    state.withLock { $0.isCancelling || $0.inFlight.isLost(lease) }
  }

  /// Returns a stored request in the form in which the client sends it for one attempt.
  /// - Parameter deadline: The time until the row expires. An attempt lasts at most this long, and at most as
  ///   long as the deadline of the request, or else of the client.
  func request(_ stored: Request, priority: Priority?, deadline: Duration?) -> Request {
    var options = stored.options
    options.deadline = [options.deadline ?? client.deadline, deadline].compactMap(\.self).min()
    options.retry = .never
    options.redirects = options.redirects ?? configuration.delivery.redirects
    options.priority = priority ?? .default
    // The outbox has its own limits.
    options.takesNoSlot = true
    options.memoryLimit = configuration.memoryLimit
    var request = stored
    request.options = options
    return request
  }

  // MARK: Recording

  /// Looks up the requests whose outcomes did not count. Another owner, or an earlier recording whose reply
  /// was lost, has ended them, and their receipts wait for that end.
  private func catchUp(on batch: [FinishedAttempt], _ results: [Finished]) async {
    let missed = zip(batch, results).filter { $1.row == nil }.map(\.0.lease.id)
    if !missed.isEmpty { await hub.catchUp(on: hub.followed(missed)) }
  }

  /// Records ends of attempts, and repeats that until it works: a request that a server has accepted must not
  /// be sent again only because the disk was full for a moment. It gives up only if the store is closed, or
  /// if the outbox is cancelling.
  func record(_ batch: [FinishedAttempt]) async {
    var pause = StorePause()
    var isDone = false
    while true {
      do {
        Failpoint.hit(.beforeRecord)
        let results = try await store.finish(batch)
        Failpoint.hit(.afterRecord)
        hub.recorded.withLock { $0.add(batch, results) }
        hub.publish(results.compactMap(\.row))
        hub.forgetResponses(of: batch.map(\.lease.id))
        await catchUp(on: batch, results)
        await storage.blobs.remove(results.flatMap(\.files))
        isDone = true
        break
      } catch {
        configuration.report(error)
        let isClosed = (error as? OutboxError)?.code == .closed
        let givesUp = state.withLock { state in
          state.isStuck = true
          return isClosed || state.isCancelling
        }
        // The leases then end, and the requests are sent again.
        if givesUp { break }
        try? await timeline.sleep(pause.next())
      }
    }
    proceed { [isDone] in $0.endRecording(isDone: isDone) }
  }
}

/// The pauses before the store is used again after a failure. Each is twice as long as the one before.
private struct StorePause {
  private var length = Duration.milliseconds(100)

  mutating func next() -> Duration {
    defer { length = min(length * 2, .seconds(5)) }
    return length
  }
}
