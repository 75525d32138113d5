/// Decides when to claim requests from the store, how many and of which origins, and when to send them. Pure.
///
/// A request in hand waits to be sent, is being sent, or its end is being recorded. It claims ahead, so that there is always
/// something to send while a claim is being written (with half as much ahead, delivering to a fast server took a fifth
/// longer); and a send is over when its answer is here, so that recording, which waits for the disk, holds up nothing. When
/// recording fails, nothing more is sent until it works again.
///
/// What may be sent where is the matter of `OriginTable`: trouble has an address. Only the network is everybody's: without one
/// it claims only on the beat, once an attempt has found no way: what goes to this very machine needs none.
struct CourierState: Sendable {
  private static let pauseAfterFailure = Duration.seconds(2)

  /// What is to be claimed.
  struct Order: Sendable, Hashable {
    var limit: Int
    var wish: OriginTable.Wish
  }

  /// How many are sent at once to servers that answer.
  let concurrency: Int
  /// Nothing is claimed of other origins; nil for all.
  private let only: Set<String>?
  var origins: OriginTable
  private(set) var waiting = 0
  private(set) var sending = 0
  private(set) var recording = 0
  private(set) var isClaiming = false
  /// How many claims it has begun.
  private(set) var claims = 0
  private(set) var isStopped = false
  var isOffline = false
  /// The store cannot be written.
  var isStuck = false
  /// Something may be there to be claimed.
  private var isWanted = false
  /// Of any origin.
  private var isWantedOfAny = false
  /// Of origins that nothing is known of.
  private var isWantedOfOthers = false
  /// The beat has come: one claim, network or not.
  private var isOnBeat = false
  /// The store failed, and is left alone until then.
  private var restsUntil: Duration?
  /// Attempts in a row that found no way, anywhere.
  private var misses = 0

  init(concurrency: Int, probes: Int, limits: OriginState.Limits, only: Set<String>? = nil) {
    self.concurrency = min(max(1, concurrency), OriginTable.mostAtOnce)
    self.only = only
    origins = OriginTable(total: concurrency, probes: probes, limits: limits)
  }

  private var isCutOff: Bool { isOffline && misses > 0 && !origins.isAnyAnswering }
  /// True if nothing is under way and nothing will be begun.
  var isOver: Bool { isStopped && waiting + sending + recording == 0 && !isClaiming }

  // MARK: Claiming

  /// Something may be there to be claimed.
  /// - Parameter onBeat: Counts without a network, too.
  mutating func want(onBeat: Bool = false) {
    isWanted = true
    isWantedOfAny = true
    if onBeat { isOnBeat = true }
  }

  /// What a claim brought; it waits now.
  /// - Parameters:
  ///   - counts: How many of each origin.
  ///   - held: The origins that are held, as the store has it.
  mutating func claimed(_ counts: [String: Int], of order: Order, hasMore: Bool, held: Set<String>) {
    isClaiming = false
    let count = counts.values.reduce(0, +)
    waiting += count
    if origins.claimed(counts, of: order.wish, held: held) { want() }
    if count >= order.limit || hasMore { want() }
    // Not all of them had room in this claim.
    if origins.hungryProbing > 0 { isWanted = true }
    let others = counts.reduce(0) { $0 + (order.wish.rooms[$1.key] == nil ? $1.value : 0) }
    if only == nil, others >= order.wish.others {
      isWanted = true
      isWantedOfOthers = true
    }
  }

  /// The claim failed; it is wanted still, a little later.
  mutating func claimFailed(at now: Duration) {
    isClaiming = false
    want()
    restsUntil = now + Self.pauseAfterFailure
  }

  /// The way may be there again: every origin is probed, at once.
  mutating func isOnline() {
    isOffline = false
    misses = 0
    release()
  }

  /// By hand, or because somebody else has done so: these origins, or all, are probed at once.
  mutating func release(_ names: [String]? = nil) {
    origins.release(names)
    want()
  }

  /// When it wants to be asked again (`claim`) although nothing else happens: after a rest, or for an origin.
  var wakeUp: Duration? {
    guard !isStopped else { return nil }
    let rest = isWanted && mayClaim && isWorthwhile ? restsUntil : nil
    return [rest, origins.nextChange].compactMap { $0 }.min()
  }

  /// So many may wait, for many origins.
  private var mostWaiting: Int { 16 * concurrency + origins.probes }

  private var mayClaim: Bool {
    !isClaiming && !isStopped && !isStuck && (!isCutOff || isOnBeat)
      && recording < 4 * concurrency + origins.probes
      && waiting < mostWaiting
  }

  /// A few at a time would cost as much as many.
  private var isWorthwhile: Bool {
    isWantedOfAny || origins.hungryRegular > 0
      || ((isWantedOfOthers || origins.hungryProbing > 0) && origins.othersRoom > 0)
  }

  mutating func advance(to now: Duration) {
    if origins.advance(to: now) { want() }
  }

  /// What to claim, if it is time to.
  mutating func claim(at now: Duration) -> Order? {
    advance(to: now)
    guard isWanted, mayClaim, now >= restsUntil ?? now, isWorthwhile else { return nil }
    origins.tidy(at: now)
    var wish = origins.wish(mostWaiting: mostWaiting)
    if let only {
      wish.limit(to: only)
    } else if wish.rooms[""] == nil {
      // Of rows of an earlier version only a look at them tells what they are for.
      wish.rooms[""] = 4 * concurrency
    }
    restsUntil = nil
    isWanted = false
    isWantedOfAny = false
    isWantedOfOthers = false
    isOnBeat = false
    isClaiming = true
    claims += 1
    return Order(limit: min(4 * concurrency + origins.probes, mostWaiting - waiting), wish: wish)
  }

  /// Those of one origin that wait do not any more: they are another's now, or to be recorded as given back.
  mutating func drop(_ count: Int, of origin: String, isRecorded: Bool) {
    guard count > 0 else { return }
    waiting -= count
    if isRecorded { recording += count }
    origins.wait(origin, by: -count)
  }

  // MARK: Sending and recording

  func mayBegin(_ origin: String) -> Bool { !isStuck && !isStopped && origins.mayBegin(origin) }

  /// One of those that wait is being sent from now on.
  mutating func begin(_ lease: Lease, _ origin: String, at now: Duration) {
    waiting -= 1
    sending += 1
    origins.begin(lease, origin, at: now)
  }

  /// An attempt is over; its end is to be recorded.
  /// - Parameter hasReached: It reached a server; nil if it was given back.
  /// - Returns: What has come of it for its origin.
  mutating func answered(
    _ lease: Lease, _ sign: OriginSign, hasReached: Bool?, at now: Duration
  ) -> (origin: String, change: OriginChange)? {
    sending -= 1
    recording += 1
    if let hasReached { misses = hasReached ? 0 : misses + 1 }
    return origins.end(lease, sign, at: now)
  }

  /// Ends of attempts were recorded.
  /// - Parameter hadLanes: Some of them were in lanes, whose next requests may be for any origin.
  mutating func recorded(_ count: Int, of names: Set<String>, hadLanes: Bool = false) {
    recording -= count
    isWanted = true
    if hadLanes { isWantedOfAny = true }
    for name in names { origins.recorded(name) }
    isStuck = false
  }

  /// Begins nothing more.
  mutating func stop() { isStopped = true }

  /// What waits for this origin will not be sent soon.
  func givesBack(_ origin: String) -> Bool { isStopped || origins.givesBack(origin) }
}
