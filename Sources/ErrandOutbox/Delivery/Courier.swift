import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Takes requests from the store, sends them, and writes down how that ended. When to claim and how many is the decision
/// of `CourierState`, what a try means that of `DeliveryRule`; here is what carries it out.
final class Courier: Sendable {
  private struct Work {
    var state: CourierState
    /// What is being tried, and the task that does it, once there is one.
    var tries: [Lease: Task<Void, Never>?] = [:]
    var nextBeat: Duration
    /// When the store has something again.
    var nextDue: Duration?
    var nextPrune = Duration.zero
    var isCancelling = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private static let storePause = Duration.seconds(2)

  private let desk: Desk
  private let client: Client
  private let timeline: Timeline
  private let work: Locked<Work>
  private let alarms = Locked<(work: Alarm?, leases: Alarm?)>((nil, nil))

  private var configuration: OutboxConfiguration { desk.configuration }

  init(_ desk: Desk, _ client: Client) {
    self.desk = desk
    self.client = client
    timeline = Timeline(desk.configuration.clock)
    work = Locked(
      Work(
        state: CourierState(capacity: desk.configuration.concurrency, beat: desk.configuration.beat),
        nextBeat: desk.configuration.beat))
  }

  // MARK: What makes it look

  func start() {
    let tick = Alarm(timeline) { [weak self] now in self?.tick(now) }
    let renew = Alarm(timeline) { [weak self] _ in self?.renewLeases() }
    alarms.withLock { $0 = (tick, renew) }
    tick.set(for: configuration.beat)
    look()
  }

  /// Something may be there to deliver.
  func look() {
    let now = timeline.now()
    claim(work.withLock { $0.state.want(at: now) })
  }

  /// The network is there, or not; a hint.
  func networkChanged(isOnline: Bool) {
    guard isOnline else { return work.withLock { $0.state.isOffline = true } }
    Task { [desk] in
      await desk.noting { _ = try await desk.store.hasten(at: desk.configuration.time()) }
      let now = timeline.now()
      claim(work.withLock { $0.state.isOnline(at: now) })
    }
  }

  private func tick(_ now: Duration) -> Duration? {
    let (limit, prunes): (Int?, Bool) = work.withLock { work in
      var limit: Int?
      var prunes = false
      if now >= work.nextBeat {
        work.nextBeat = now + configuration.beat
        prunes = now >= work.nextPrune
        if prunes { work.nextPrune = now + .seconds(3600) }
        limit = work.state.want(at: now, onBeat: true)
      } else if let due = work.nextDue, now >= due {
        limit = work.state.want(at: now)
      }
      if let due = work.nextDue, now >= due { work.nextDue = nil }
      if limit == nil, let probe = work.state.wakeUp, now >= probe { limit = work.state.want(at: now) }
      return (limit, prunes)
    }
    claim(limit)
    if prunes { Task { [desk] in await desk.prune() } }
    return work.withLock { Self.nextRing($0) }
  }

  private static func nextRing(_ work: Work) -> Duration? {
    if work.state.isStopped { return nil }
    return [work.nextBeat, work.nextDue, work.state.wakeUp].compactMap { $0 }.min()
  }

  // MARK: Claiming

  private func claim(_ limit: Int?) {
    guard let limit else { return }
    Task { await claim(limit) }
  }

  private func claim(_ limit: Int) async {
    do {
      let claim = try await desk.store.claim(limit, for: configuration.lease, at: configuration.time())
      desk.tell(claim.expired + claim.recovered)
      let now = timeline.now()
      let more = work.withLock { work in
        for row in claim.rows { work.tries.updateValue(nil, forKey: row.lease) }
        if let next = claim.next, next > .zero { work.nextDue = now + next }
        return work.state.claimed(claim.rows.count, of: limit, hasMore: claim.next == .zero, at: now)
      }
      for row in claim.rows { begin(row) }
      if !claim.rows.isEmpty { alarms.withLock { $0.leases }?.set(for: now + configuration.lease / 3) }
      self.claim(more)
    } catch {
      let now = timeline.now()
      work.withLock { work in
        work.state.claimFailed()
        work.nextDue = now + Self.storePause
      }
      desk.report(error)
    }
    setAlarm()
    endIfOver()
  }

  private func setAlarm() {
    guard let next = work.withLock({ Self.nextRing($0) }) else { return }
    alarms.withLock { $0.work }?.set(for: next)
  }

  private func begin(_ row: ClaimedRow) {
    let task = Task { await self.deliver(row) }
    let isCancelling = work.withLock { work in
      // Over already, it may not come back.
      if work.tries.keys.contains(row.lease) { work.tries.updateValue(task, forKey: row.lease) }
      return work.isCancelling
    }
    if isCancelling { task.cancel() }
  }

  // MARK: One try

  private func deliver(_ claimed: ClaimedRow) async {
    desk.tell([claimed.row])
    let ruling = await ruling(on: claimed)
    await record(FinishedTry(lease: claimed.lease, outcome: desk.outcome(ruling.outcome, of: claimed.row.id)))
    let now = timeline.now()
    let more = work.withLock { work in
      work.tries[claimed.lease] = nil
      let hasReached: Bool? = if case .returned = ruling.outcome { nil } else { ruling.hasReached }
      return work.state.ended(hasReached: hasReached, at: now)
    }
    claim(more)
    if more == nil { setAlarm() }
    endIfOver()
  }

  private func ruling(on claimed: ClaimedRow) async -> DeliveryRule.Ruling {
    do {
      let stored = try desk.request(of: claimed)
      Failpoint.hit(.beforeSend)
      let result = await send(stored, priority: Priority(rawValue: UInt8(clamping: claimed.row.priority)))
      Failpoint.hit(.afterAnswer)
      return desk.ruling(
        on: DeliveryTry(request: stored, number: claimed.row.tries, result: result),
        counted: claimed.row.countedTries)
    } catch {
      return DeliveryRule.Ruling(outcome: .refused(reason: "\(error)", nil), hasReached: true)
    }
  }

  private func send(_ stored: Request, priority: Priority?) async -> Result<Response, any Error> {
    var request = stored.bestEffort().redirects(configuration.delivery.redirects)
    request.options.priority = priority ?? .default
    // A longer answer is an answer all the same: see `Verdict.standard`.
    request = request.memoryLimit(max(configuration.answerLimit, 1 << 20))
    do {
      return .success(try await client.send(request))
    } catch {
      return .failure(error)
    }
  }

  /// Writes down how a try ended, and does not give up: what a server has accepted must not be sent again because a disk was
  /// full for a moment.
  private func record(_ finished: FinishedTry) async {
    var pause = Duration.milliseconds(100)
    while true {
      do {
        Failpoint.hit(.beforeRecord)
        let results = try await desk.store.finish([finished], at: configuration.time())
        Failpoint.hit(.afterRecord)
        for result in results {
          if let row = result.row { desk.tell([row]) }
          await desk.remove(result.files)
        }
        return
      } catch let error as OutboxError where error.code == .closed {
        return
      } catch {
        desk.report(error)
        if work.withLock({ $0.isCancelling }) { return }
        try? await timeline.sleep(pause)
        pause = min(pause * 2, .seconds(5))
      }
    }
  }

  private func renewLeases() -> Duration? {
    let leases = work.withLock { Array($0.tries.keys) }
    guard !leases.isEmpty else { return nil }
    Task { [desk] in
      await desk.noting {
        let lost = try await desk.store.renew(
          leases, for: desk.configuration.lease, at: desk.configuration.time())
        let tasks = work.withLock { work in lost.compactMap { work.tries[$0] ?? nil } }
        // Someone else may be sending them.
        for task in tasks { task.cancel() }
      }
    }
    return timeline.now() + configuration.lease / 3
  }

  // MARK: The end

  /// Begins nothing more, waits for what is under way, and after `limit` gives the rest back.
  func stop(within limit: Duration) async {
    work.withLock { $0.state.stop() }
    let force = Task {
      try await timeline.sleep(limit)
      cancelAll()
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isOver = work.withLock { work in
        if work.state.isOver { return true }
        work.waiters.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
    force.cancel()
    alarms.withLock { $0 = (nil, nil) }
  }

  /// Gives everything back at once.
  func cancelAll() {
    let tasks = work.withLock { work in
      work.state.stop()
      work.isCancelling = true
      return work.tries.values.compactMap { $0 }
    }
    for task in tasks { task.cancel() }
  }

  private func endIfOver() {
    let waiters = work.withLock { work -> [CheckedContinuation<Void, Never>] in
      guard work.state.isOver else { return [] }
      defer { work.waiters = [] }
      return work.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
