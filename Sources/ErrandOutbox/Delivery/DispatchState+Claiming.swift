/// Decides when to claim requests from the store, how many and of which origins.
///
/// The dispatcher claims ahead, so that there is always something to send while a claim is being written (with
/// half as many claimed ahead, delivering to a fast server took a fifth longer). Only the network is common to
/// all origins: while it is missing, no origin responds and the last attempt could not connect, the dispatcher
/// claims only at the poll interval. A missing network alone does not stop claims, because requests to this
/// machine need none.
extension DispatchState {
  private static let pauseAfterFailure = Duration.seconds(2)
  private static let pruneInterval = Duration.seconds(3600)

  /// The bounds of one claim.
  struct Order: Sendable, Hashable {
    var limit: Int
    var wish: OriginTable.Wish
  }

  /// The knowledge of a dispatcher about rows that it has not claimed.
  struct Demand: Sendable {
    /// True if the store may have rows to claim.
    var isWanted = false
    /// True if these may be of any origin.
    var isOfAny = false
    /// True if these may be of origins that the table does not know.
    var isOfOthers = false
    /// True if the poll interval has passed: one claim is due, with or without a network.
    var isPollDue = false
    var isClaiming = false
    /// The number of claims that were begun.
    var claims = 0
    /// When to use the store again, after it failed.
    var restsUntil: Duration?
    /// When the store has rows to claim again.
    var nextDue: Duration?
    var nextPoll = Duration.zero
    var nextPrune = Duration.zero
  }

  // MARK: What makes it claim

  /// Notes that the store may have rows to claim.
  /// - Parameter onPoll: True if the poll interval has passed: then it claims without a network, too.
  mutating func want(onPoll: Bool = false) {
    demand.isWanted = true
    demand.isOfAny = true
    if onPoll { demand.isPollDue = true }
  }

  /// Notes that the network may be back: every origin is probed at once.
  mutating func isOnline() {
    isOffline = false
    misses = 0
    release()
  }

  /// Probes these origins at once; nil for all. For a release by hand, or by another process.
  mutating func release(_ names: [String]? = nil) {
    origins.release(names)
    want()
  }

  /// Notes that the time to look for work has come. Once stopped, the store is left alone.
  /// - Returns: Whether the poll interval has passed, and whether the store is to be pruned.
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

  /// When to look for work again if nothing happens before.
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

  /// True if a claim can bring enough rows: a claim of few costs as much as one of many.
  private var isWorthwhile: Bool {
    demand.isOfAny || origins.hungryRegular > 0
      || ((demand.isOfOthers || origins.hungryProbing > 0) && origins.othersRoom > 0)
  }

  /// Returns what to claim now, or nil if it is not the time to.
  mutating func claim(at now: Duration) -> Order? {
    if origins.advance(to: now) { want() }
    guard demand.isWanted, mayClaim, now >= demand.restsUntil ?? now, isWorthwhile else { return nil }
    origins.tidy(at: now)
    var wish = origins.wish(mostWaiting: mostWaiting)
    if let only {
      wish.limit(to: only)
    } else if wish.capacities[""] == nil {
      // Rows of an earlier version name no origin: it is learned from their requests.
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

  /// Takes the rows of a claim, which wait to be sent from now on.
  /// - Parameters:
  ///   - end: When their leases end, in the store's ticks.
  ///   - limit: When their leases must be renewed at the latest.
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
    // More rows without an origin may be behind those that are not sent now.
    let unnamed = learned.count + counts["", default: 0]
    let isFilled = unnamed > 0 && unnamed >= order.wish.capacities[""] ?? .max
    if claim.rows.count >= order.limit || claim.next == .zero || isFilled { want() }
    // This claim had no room for some of the probing origins.
    if origins.hungryProbing > 0 { demand.isWanted = true }
    let others = counts.reduce(0) { $0 + (order.wish.capacities[$1.key] == nil ? $1.value : 0) }
    if only == nil, others >= order.wish.others {
      demand.isWanted = true
      demand.isOfOthers = true
    }
    if let next = claim.next, next > .zero { demand.nextDue = now + next }
  }

  /// Notes that a claim failed: it is repeated after a pause.
  mutating func claimFailed(at now: Duration) {
    demand.isClaiming = false
    want()
    demand.restsUntil = now + Self.pauseAfterFailure
  }
}

extension Claim {
  /// Returns the claim without rows that are claimed already: a store that returns one twice has it sent once.
  fileprivate func withoutRepeats(of inFlight: InFlightRows) -> Claim {
    var known: Set<Lease> = []
    var claim = self
    claim.rows.removeAll { inFlight.contains($0.lease) || !known.insert($0.lease).inserted }
    return claim
  }
}
