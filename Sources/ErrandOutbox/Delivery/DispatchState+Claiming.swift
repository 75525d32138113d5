/// Decides when to claim requests from the store, how many of them, and of which origins.
///
/// The dispatcher claims ahead, so that it can send rows while a claim is being written. With half as many
/// rows claimed ahead, delivery to a fast server took a fifth longer.
///
/// All origins share only the network. While the network is missing, no origin responds and the last attempt
/// could not connect, the dispatcher claims only at the poll interval. A missing network alone does not stop
/// claims, because requests to this machine do not need one.
extension DispatchState {
  private static let pauseAfterFailure = Duration.seconds(2)
  private static let pruneInterval = Duration.seconds(3600)

  /// The bounds of one claim.
  struct Order: Sendable, Hashable {
    var limit: Int
    var wish: OriginTable.Wish
  }

  /// A dispatcher's knowledge about rows that it has not claimed.
  struct Demand: Sendable {
    /// True if the store may have rows to claim.
    var isWanted = false
    /// True if these rows may be of any origin.
    var isOfAny = false
    /// True if these rows may be of origins that are not in the table.
    var isOfOthers = false
    /// True if the poll interval has passed: one claim is then due, with or without a network.
    var isPollDue = false
    var isClaiming = false
    /// The number of claims so far.
    var claims = 0
    /// When to use the store again, after it failed.
    var restsUntil: Duration?
    /// When the store will have rows to claim.
    var nextDue: Duration?
    var nextPoll = Duration.zero
    var nextPrune = Duration.zero
  }

  // MARK: Reasons to claim

  /// Notes that the store may have rows to claim.
  /// - Parameter onPoll: True if the poll interval has passed. The dispatcher then claims even without a
  ///   network.
  mutating func want(onPoll: Bool = false) {
    demand.isWanted = true
    demand.isOfAny = true
    if onPoll { demand.isPollDue = true }
  }

  /// Notes that the network may be back, so that every origin is probed at once.
  mutating func isOnline() {
    isOffline = false
    misses = 0
    release()
  }

  /// Probes these origins at once; nil for all. Called after a release by hand, or by another process.
  mutating func release(_ names: [String]? = nil) {
    origins.release(names)
    want()
  }

  /// Notes that it is time to look for work. After `stop`, the store is not used.
  /// - Returns: Whether the poll interval has passed, and whether to prune the store.
  mutating func tick(at now: Duration) -> (isPoll: Bool, prunes: Bool) {
    let isPoll = !isStopped && now >= demand.nextPoll
    let prunes = isPoll && now >= demand.nextPrune
    if isPoll {
      demand.nextPoll = now + pollInterval
      if prunes { demand.nextPrune = now + Self.pruneInterval }
      want(onPoll: true)
    }
    if let due = demand.nextDue, now >= due {
      demand.nextDue = nil
      want()
    }
    return (isPoll, prunes)
  }

  /// When to look for work again if nothing happens before that.
  var nextRing: Duration? {
    isStopped ? nil : [demand.nextPoll, demand.nextDue, wakeUp].compactMap { $0 }.min()
  }

  /// When to call `claim` again if nothing else happens: after a pause, or for an origin.
  var wakeUp: Duration? {
    guard !isStopped else { return nil }
    let rest = demand.isWanted && mayClaim && isWorthwhile ? demand.restsUntil : nil
    return [rest, origins.nextChange].compactMap { $0 }.min()
  }

  // MARK: Claims

  /// The most rows that may wait to be sent.
  private var mostWaiting: Int { 16 * concurrency + origins.probes }

  private var isCutOff: Bool { isOffline && misses > 0 && !origins.isAnyResponding }

  private var mayClaim: Bool {
    !demand.isClaiming && !isStopped && !isStuck && (!isCutOff || demand.isPollDue)
      && inFlight.recording < 4 * concurrency + origins.probes
      && inFlight.waiting < mostWaiting
  }

  /// True if a claim can bring enough rows: a claim of few rows costs as much as one of many.
  private var isWorthwhile: Bool {
    demand.isOfAny || origins.hungryRegular > 0
      || ((demand.isOfOthers || origins.hungryProbing > 0) && origins.othersRoom > 0)
  }

  /// Returns the claim to make now; nil if it is not time for one.
  mutating func claim(at now: Duration) -> Order? {
    if origins.advance(to: now) { want() }
    guard demand.isWanted, mayClaim, now >= demand.restsUntil ?? now, isWorthwhile else { return nil }
    origins.tidy(at: now)
    var wish = origins.wish(mostWaiting: mostWaiting)
    if let only {
      wish.limit(to: only)
    } else if wish.capacities[""] == nil {
      // Rows of an earlier version have no origin. The dispatcher finds it in their requests.
      wish.capacities[""] = 4 * concurrency
    }
    demand.restsUntil = nil
    demand.isWanted = false
    demand.isOfAny = false
    demand.isOfOthers = false
    demand.isPollDue = false
    demand.isClaiming = true
    demand.claims += 1
    return Order(limit: min(4 * concurrency + origins.probes, mostWaiting - inFlight.waiting), wish: wish)
  }

  /// Takes the rows of a claim, which then wait to be sent.
  /// - Parameters:
  ///   - end: When their leases end, in ticks.
  ///   - limit: When their leases must be renewed at the latest, in ticks.
  ///   - learned: Rows whose origins the store does not know. Their origins were filled in after the claim.
  mutating func claimed(
    _ claim: Claim, of order: Order, until end: Int64, renewingBy limit: Int64, learned: Set<Lease> = [],
    at now: Duration
  ) {
    demand.isClaiming = false
    let claim = claim.withoutRepeats(of: inFlight)
    inFlight.take(claim.rows, until: end, renewingBy: limit, learned: learned)
    var counts: [String: Int] = [:]
    for row in claim.rows { counts[row.row.origin, default: 0] += 1 }
    if origins.claimed(counts, of: order.wish, held: claim.held) { want() }
    // There may be more rows without an origin behind those that are not sent now.
    let unnamed = learned.count + counts["", default: 0]
    let isFilled = unnamed > 0 && unnamed >= order.wish.capacities[""] ?? .max
    if claim.rows.count >= order.limit || claim.next == .zero || isFilled { want() }
    // This claim had no capacity for some of the probed origins.
    if origins.hungryProbing > 0 { demand.isWanted = true }
    let others = counts.reduce(0) { $0 + (order.wish.capacities[$1.key] == nil ? $1.value : 0) }
    if only == nil, others >= order.wish.others {
      demand.isWanted = true
      demand.isOfOthers = true
    }
    if let next = claim.next, next > .zero { demand.nextDue = now + next }
  }

  /// Notes that a claim failed, so that it is repeated after a pause.
  mutating func claimFailed(at now: Duration) {
    demand.isClaiming = false
    want()
    demand.restsUntil = now + Self.pauseAfterFailure
  }
}

extension Claim {
  /// Returns the claim without rows that are claimed already. Thus a row that a store returns twice is sent
  /// once.
  fileprivate func withoutRepeats(of inFlight: InFlightRows) -> Claim {
    var known: Set<Lease> = []
    var claim = self
    claim.rows.removeAll { inFlight.contains($0.lease) || !known.insert($0.lease).inserted }
    return claim
  }
}
