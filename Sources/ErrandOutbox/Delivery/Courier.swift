import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Takes requests from the store, sends them, and writes down how that ended. When to claim and how many is the decision
/// of `CourierState`, what a try means that of `DeliveryRule`; here is what carries it out.
final class Courier: Sendable {
  private struct Alarms {
    var work: Alarm?
    var leases: Alarm?
  }

  private static let pruneInterval = Duration.seconds(3600)

  let desk: Desk
  let client: Client
  let timeline: Timeline
  let work: Locked<CourierWork>
  private let alarms = Locked(Alarms())

  var configuration: OutboxConfiguration { desk.configuration }

  init(_ desk: Desk, _ client: Client) {
    self.desk = desk
    self.client = client
    timeline = Timeline(desk.configuration.clock)
    work = Locked(
      CourierWork(
        state: CourierState(
          concurrency: desk.configuration.concurrency, probes: desk.configuration.probes,
          limits: desk.configuration.originLimits,
          only: desk.configuration.deliversOnly.map { Set($0.map(desk.storage.originName)) }),
        nextBeat: desk.configuration.beat))
  }

  /// How many claims it has begun, while it is idle; nil while it has something in its hands, or claims. When that changes
  /// `Feedback.ends` tells.
  var claimsWhileIdle: Int? { work.withLock { $0.isIdle ? $0.state.claims : nil } }

  // MARK: What makes it look

  /// Begins to deliver; looks, if it has begun before.
  func start() {
    let isFirst = work.withLock { work in
      defer { work.isStarted = true }
      return !work.isStarted
    }
    guard isFirst else { return look() }
    let tick = Alarm(timeline) { [weak self] now in self?.tick(now) }
    let renew = Alarm(timeline) { [weak self] _ in self?.renewInTime() }
    alarms.withLock { $0 = Alarms(work: tick, leases: renew) }
    tick.set(for: work.withLock { $0.nextBeat })
    Task {
      // Whatever was in the way when the last process ended may be gone.
      await hasten()
      look()
      await desk.prune()
    }
  }

  /// Something may be there to deliver. Nobody looks before it was started.
  func look() {
    goOn { work in if work.isStarted { work.state.want() } }
  }

  /// These origins, or all, are sent to again, because somebody says so.
  func release(_ origins: [String]?) {
    goOn { work in if work.isStarted { work.state.release(origins) } }
  }

  /// The network is there, or not; a hint.
  func networkChanged(isOnline: Bool) {
    guard isOnline else { return work.withLock { $0.state.isOffline = true } }
    Task {
      await hasten()
      goOn { $0.state.isOnline() }
    }
  }

  private func hasten() async {
    await desk.noting { _ = try await desk.store.hasten(at: configuration.time()) }
  }

  private func tick(_ now: Duration) -> Duration? {
    let (isBeat, prunes) = work.withLock { work in
      let isBeat = now >= work.nextBeat
      let prunes = isBeat && now >= work.nextPrune
      if isBeat {
        work.nextBeat = now + configuration.beat
        if prunes { work.nextPrune = now + Self.pruneInterval }
        work.state.want(onBeat: true)
      }
      if let due = work.nextDue, now >= due {
        work.nextDue = nil
        work.state.want()
      }
      return (isBeat, prunes)
    }
    goOn()
    if isBeat {
      Task {
        // Who did something may have been gone before it told.
        await desk.catchUp()
        if prunes { await desk.prune() }
      }
    }
    return work.withLock { $0.nextRing }
  }

  // MARK: Claiming

  private func claim(_ order: CourierState.Order) async {
    do {
      try await renewIfLate()
      let time = configuration.time()
      var claim = try await desk.store.claim(bounds(order), for: configuration.lease, at: time)
      desk.tell(claim.changed)
      let learned = desk.learnOrigins(of: &claim.rows)
      let now = timeline.now()
      goOn { work in
        work.take(
          claim, of: order, until: leaseEnd(from: time), renewingBy: renewalLimit(from: time),
          learned: learned)
        if let next = claim.next, next > .zero { work.nextDue = now + next }
      }
      // Not before: an alarm that rings while nothing is in hand is not set again.
      if !claim.rows.isEmpty { alarms.withLock { $0.leases }?.set(for: now + configuration.lease / 3) }
    } catch {
      desk.report(error)
      let now = timeline.now()
      goOn { $0.state.claimFailed(at: now) }
    }
  }

  private func bounds(_ order: CourierState.Order) -> ClaimBounds {
    var bounds = ClaimBounds(order.limit)
    bounds.rooms = order.wish.rooms
    bounds.perOther = 1
    bounds.others = order.wish.others
    bounds.maxAttempts = configuration.delivery.maxTries
    bounds.backoff = configuration.delivery.backoff
    bounds.maxBackoff = configuration.delivery.maxBackoff
    return bounds
  }

  // MARK: Going on

  /// Changes what it knows, and does what follows from that.
  func goOn(_ change: (inout CourierWork) -> Void = { _ in }) {
    let (now, ticks) = (timeline.now(), configuration.time().ticks)
    let step = work.withLock { work in
      change(&work)
      return work.step(at: now, ticks: ticks)
    }
    for row in step.rows { begin(row) }
    if step.renews { renewFirst() }
    if let ended = step.ended { Task { await record(ended) } }
    if let order = step.order {
      Task { await claim(order) }
    } else if let ring = step.ring {
      alarms.withLock { $0.work }?.set(for: ring)
    }
    if step.hasNothing { desk.feedback.mayBeOver() }
    for waiter in step.waiters { waiter.resume() }
  }

  private func begin(_ row: ClaimedRow) {
    let task = Task { await self.deliver(row) }
    let isCancelling = work.withLock { work in
      work.hand.sends(row.lease, in: task)
      return work.isCancelling
    }
    if isCancelling { task.cancel() }
  }

  // MARK: The end

  /// Begins nothing more, waits for what is under way, and after `limit` gives the rest back.
  func stop(within limit: Duration) async {
    beginNothing()
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
    alarms.withLock { $0 = Alarms() }
  }

  /// Gives everything back at once.
  func cancelAll() {
    beginNothing()
    let tasks = work.withLock { work in
      work.isCancelling = true
      return work.hand.allTasks
    }
    for task in tasks { task.cancel() }
  }

  private func beginNothing() {
    goOn { $0.state.stop() }
  }
}

extension OutboxConfiguration {
  fileprivate var originLimits: OriginState.Limits {
    OriginState.Limits(
      perOrigin: max(1, perOrigin), firstPause: min(delivery.backoff, beat), longestPause: beat,
      longestUnauthorized: delivery.maxBackoff)
  }
}
