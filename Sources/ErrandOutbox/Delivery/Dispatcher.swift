import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Takes requests from the store, sends them, and records the ends of attempts. `DispatchState` decides when
/// to claim and how many rows, and `RetryRule` decides the consequence of an attempt.
final class Dispatcher: Sendable {
  struct DeadlineTimers {
    var work: DeadlineTimer?
    var leases: DeadlineTimer?
  }

  let client: Client
  let store: any OutboxStore
  let storage: RequestStorage
  let hub: EventHub
  let configuration: OutboxConfiguration
  let rule: RetryRule
  let random: SharedRandom
  let timeline: Timeline
  let state: Locked<DispatchState>
  let timers = Locked(DeadlineTimers())

  init(
    _ client: Client, _ store: any OutboxStore, _ storage: RequestStorage, _ hub: EventHub,
    _ configuration: OutboxConfiguration, _ random: SharedRandom
  ) {
    self.client = client
    self.store = store
    self.storage = storage
    self.hub = hub
    self.configuration = configuration
    self.random = random
    rule = RetryRule(
      policy: configuration.delivery, pollInterval: configuration.pollInterval,
      responseLimit: max(0, configuration.responseLimit), secrets: storage.secrets,
      quotes: !storage.isEncrypted)
    timeline = Timeline(configuration.clock)
    state = Locked(
      DispatchState(
        concurrency: configuration.concurrency, probes: configuration.probes,
        limits: configuration.originLimits,
        only: configuration.deliversOnly.map {
          Set($0.map { storage.originName(of: OriginAddress($0.url, key: $0.key)) })
        },
        pollInterval: configuration.pollInterval))
  }

  /// The number of claims so far; nil unless the dispatcher is idle, without rows in flight or a
  /// claim in progress. `EventHub.ends` signals when that changes.
  var claimsWhileIdle: Int? { state.withLock { $0.isIdle ? $0.demand.claims : nil } }

  /// True after `start`.
  var isStarted: Bool { state.withLock { $0.isStarted } }

  // MARK: Reasons to look for work

  /// Begins delivery. If delivery has begun before, looks for work.
  func start() {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard isFirst else { return look() }
    let tick = DeadlineTimer(timeline) { [weak self] now in self?.tick(now) }
    let renew = DeadlineTimer(timeline) { [weak self] _ in self?.renewInTime() }
    timers.withLock { $0 = DeadlineTimers(work: tick, leases: renew) }
    tick.set(for: state.withLock { $0.demand.nextPoll })
    Task {
      // The network may have been missing when the last process ended, and be back now.
      await rescheduleOffline()
      look()
      await prune()
    }
  }

  /// Looks for requests to deliver. Does nothing before `start`.
  func look() {
    proceed { state in if state.isStarted { state.want() } }
  }

  /// Probes these origins at once, or all origins, after a release by hand.
  func release(_ origins: [String]?) {
    proceed { state in if state.isStarted { state.release(origins) } }
  }

  /// Notes whether there is a network. That is a hint.
  func networkChanged(isOnline: Bool) {
    guard isOnline else { return state.withLock { $0.isOffline = true } }
    Task {
      await rescheduleUnlessResting()
      proceed { $0.isOnline() }
    }
  }

  /// Makes requests due that waited for an identity.
  func signedIn() async { await rescheduleUnlessResting() }

  /// Does not use the store while the process rests: `resume` reschedules then.
  private func rescheduleUnlessResting() async {
    if !state.withLock({ $0.isStopped }) { await rescheduleOffline() }
  }

  func rescheduleOffline() async {
    await configuration.reportingFailure { _ = try await store.rescheduleOffline() }
  }

  private func tick(_ now: Duration) -> Duration? {
    let (isPoll, prunes) = state.withLock { $0.tick(at: now) }
    proceed()
    if isPoll {
      Task {
        // Another process may have ended after it changed a row and before it signalled that.
        await hub.catchUp()
        if prunes { await prune() }
      }
    }
    return state.withLock { $0.nextRing }
  }

  /// Removes requests that ended longer ago than `retention`.
  private func prune() async {
    await configuration.reportingFailure {
      await storage.blobs.remove(try await store.prune(olderThan: configuration.retention))
    }
  }

  // MARK: Claiming

  private func claim(_ order: DispatchState.Order) async {
    do {
      try await renewIfLate()
      let (time, asked) = (ticks, timeline.now())
      var claim = try await store.claim(bounds(order), for: configuration.lease)
      for index in claim.rows.indices {
        claim.rows[index].end = claim.rows[index].timeLeft.map { asked + $0 }
      }
      hub.publish(claim.changed)
      let learned = learnOrigins(of: &claim.rows)
      let now = timeline.now()
      proceed { state in
        state.claimed(
          claim, of: order, until: leaseEnd(from: time), renewingBy: renewalLimit(from: time),
          learned: learned, at: now)
      }
      // Setting the timer earlier has no effect: a deadline timer that fires while no row is in flight stops.
      if !claim.rows.isEmpty { timers.withLock { $0.leases }?.set(for: now + configuration.lease / 3) }
    } catch {
      configuration.report(error)
      let now = timeline.now()
      proceed { $0.claimFailed(at: now) }
    }
  }

  private func bounds(_ order: DispatchState.Order) -> ClaimBounds {
    var bounds = ClaimBounds(order.limit)
    bounds.capacities = order.wish.capacities
    bounds.perOther = 1
    bounds.others = order.wish.others
    bounds.maxAttempts = configuration.delivery.maxAttempts
    bounds.backoff = configuration.delivery.backoff
    bounds.maxBackoff = configuration.delivery.maxBackoff
    return bounds
  }

  /// Fills in the origins of rows that an earlier version stored without one, from their requests.
  /// - Returns: The leases of these rows.
  private func learnOrigins(of rows: inout [ClaimedRow]) -> Set<Lease> {
    var learned: Set<Lease> = []
    for index in rows.indices where rows[index].row.origin.isEmpty {
      let (content, id) = (rows[index].content, rows[index].row.id)
      guard let address = storage.originAddress(from: content, of: id) else { continue }
      rows[index].row.origin = storage.originName(of: address)
      learned.insert(rows[index].lease)
    }
    return learned
  }

  // MARK: Proceeding

  /// Changes the state, and carries out the next step.
  func proceed(_ change: (inout DispatchState) -> Void = { _ in }) {
    let (now, ticks) = (timeline.now(), ticks)
    let step = state.withLock { state in
      change(&state)
      return state.step(at: now, ticks: ticks)
    }
    for row in step.rows { begin(row) }
    if step.renews { renewFirst() }
    if let ended = step.ended { Task { await record(ended) } }
    if let order = step.order {
      Task { await claim(order) }
    } else if let ring = step.ring {
      timers.withLock { $0.work }?.set(for: ring)
    }
    if step.hasNothing { hub.mayBeOver() }
    for waiter in step.waiters { waiter.resume() }
  }

  private func begin(_ row: ClaimedRow) {
    let task = Task { await self.deliver(row) }
    let isCancelling = state.withLock { state in
      state.inFlight.sends(row.lease, in: task)
      return state.isCancelling
    }
    if isCancelling { task.cancel() }
  }
}

extension OutboxConfiguration {
  fileprivate var originLimits: OriginState.Limits {
    OriginState.Limits(
      perOrigin: max(1, perOrigin), perKey: max(1, perKey), firstPause: min(delivery.backoff, pollInterval),
      longestPause: pollInterval,
      longestUnauthorized: delivery.maxBackoff)
  }
}
