/// Decides when to claim requests from the store, how many and of which origins, and when to send them. Pure.
///
/// A claimed request waits to be sent, is being sent, or is being recorded. The dispatcher claims ahead, so
/// that there is always something to send while a claim is being written (with half as many claimed ahead,
/// delivering to a fast server took a fifth longer). A send is over when its response arrives, so that
/// recording, which waits for the disk, blocks no other send. When recording fails, nothing more is sent
/// until it works again.
///
/// `OriginTable` decides what may be sent to which origin. Only the network is common to all origins: while
/// it is missing, no origin responds and the last attempt could not connect, the dispatcher claims only at
/// the poll interval. A missing network alone does not stop claims, because requests to this machine need
/// none.
struct DispatchState: Sendable {
  private static let pauseAfterFailure = Duration.seconds(2)

  /// The bounds of one claim.
  struct Order: Sendable, Hashable {
    var limit: Int
    var wish: OriginTable.Wish
  }

  /// The most requests in flight to origins that respond.
  let concurrency: Int
  /// The origins to claim from; nil for all.
  private let only: Set<String>?
  var origins: OriginTable
  private(set) var waiting = 0
  private(set) var sending = 0
  private(set) var recording = 0
  private(set) var isClaiming = false
  /// The number of claims that were begun.
  private(set) var claims = 0
  private(set) var isStopped = false
  var isOffline = false
  /// True while the store cannot be written.
  var isStuck = false
  /// True if the store may have rows to claim.
  private var isWanted = false
  /// True if these may be of any origin.
  private var isWantedOfAny = false
  /// True if these may be of origins that the table does not know.
  private var isWantedOfOthers = false
  /// True if the poll interval has passed: one claim is due, with or without a network.
  private var isPollDue = false
  /// When to use the store again, after it failed.
  private var restsUntil: Duration?
  /// The number of attempts in a row, to any origin, that could not connect.
  private var misses = 0

  init(concurrency: Int, probes: Int, limits: OriginState.Limits, only: Set<String>? = nil) {
    self.concurrency = min(max(1, concurrency), OriginTable.mostAtOnce)
    self.only = only
    origins = OriginTable(total: concurrency, probes: probes, limits: limits)
  }

  private var isCutOff: Bool { isOffline && misses > 0 && !origins.isAnyResponding }
  /// True if the dispatcher is stopped and nothing is under way.
  var isOver: Bool { isStopped && waiting + sending + recording == 0 && !isClaiming }

  // MARK: Claiming

  /// Notes that the store may have rows to claim.
  /// - Parameter onPoll: True if the poll interval has passed: then it claims without a network, too.
  mutating func want(onPoll: Bool = false) {
    isWanted = true
    isWantedOfAny = true
    if onPoll { isPollDue = true }
  }

  /// Adds the rows of a claim to those that wait to be sent.
  /// - Parameters:
  ///   - counts: The number of rows of each origin.
  ///   - held: The origins that are held, according to the store.
  mutating func claimed(_ counts: [String: Int], of order: Order, hasMore: Bool, held: Set<String>) {
    isClaiming = false
    let count = counts.values.reduce(0, +)
    waiting += count
    if origins.claimed(counts, of: order.wish, held: held) { want() }
    if count >= order.limit || hasMore { want() }
    // This claim had no room for some of the probing origins.
    if origins.hungryProbing > 0 { isWanted = true }
    let others = counts.reduce(0) { $0 + (order.wish.capacities[$1.key] == nil ? $1.value : 0) }
    if only == nil, others >= order.wish.others {
      isWanted = true
      isWantedOfOthers = true
    }
  }

  /// Notes that a claim failed: it is repeated after a pause.
  mutating func claimFailed(at now: Duration) {
    isClaiming = false
    want()
    restsUntil = now + Self.pauseAfterFailure
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

  /// When to call `claim` again if nothing else happens: after a pause, or for an origin.
  var wakeUp: Duration? {
    guard !isStopped else { return nil }
    let rest = isWanted && mayClaim && isWorthwhile ? restsUntil : nil
    return [rest, origins.nextChange].compactMap { $0 }.min()
  }

  /// The most rows that may wait to be sent.
  private var mostWaiting: Int { 16 * concurrency + origins.probes }

  private var mayClaim: Bool {
    !isClaiming && !isStopped && !isStuck && (!isCutOff || isPollDue)
      && recording < 4 * concurrency + origins.probes
      && waiting < mostWaiting
  }

  /// True if a claim can bring enough rows: a claim of few costs as much as one of many.
  private var isWorthwhile: Bool {
    isWantedOfAny || origins.hungryRegular > 0
      || ((isWantedOfOthers || origins.hungryProbing > 0) && origins.othersRoom > 0)
  }

  mutating func advance(to now: Duration) {
    if origins.advance(to: now) { want() }
  }

  /// Returns what to claim now, or nil if it is not the time to.
  mutating func claim(at now: Duration) -> Order? {
    advance(to: now)
    guard isWanted, mayClaim, now >= restsUntil ?? now, isWorthwhile else { return nil }
    origins.tidy(at: now)
    var wish = origins.wish(mostWaiting: mostWaiting)
    if let only {
      wish.limit(to: only)
    } else if wish.capacities[""] == nil {
      // Rows of an earlier version name no origin: it is learned from their requests.
      wish.capacities[""] = 4 * concurrency
    }
    restsUntil = nil
    isWanted = false
    isWantedOfAny = false
    isWantedOfOthers = false
    isPollDue = false
    isClaiming = true
    claims += 1
    return Order(limit: min(4 * concurrency + origins.probes, mostWaiting - waiting), wish: wish)
  }

  /// Removes rows of one origin from those that wait to be sent.
  /// - Parameter isRecorded: True if they are to be recorded as given back; false if another owner has them.
  mutating func drop(_ count: Int, of origin: String, isRecorded: Bool) {
    guard count > 0 else { return }
    waiting -= count
    if isRecorded { recording += count }
    origins.wait(origin, by: -count)
  }

  // MARK: Sending and recording

  func mayBegin(_ origin: String) -> Bool { !isStuck && !isStopped && origins.mayBegin(origin) }

  /// Moves one row of those that wait to those that are being sent.
  mutating func begin(_ lease: Lease, _ origin: String, at now: Duration) {
    waiting -= 1
    sending += 1
    origins.begin(lease, origin, at: now)
  }

  /// Notes the end of an attempt, which is to be recorded.
  /// - Parameter hasReached: True if the attempt reached a server; nil if the request was given back.
  /// - Returns: The change of its origin, if any.
  mutating func responded(
    _ lease: Lease, _ sign: OriginSign, hasReached: Bool?, at now: Duration
  ) -> (origin: String, change: OriginChange)? {
    sending -= 1
    recording += 1
    if let hasReached { misses = hasReached ? 0 : misses + 1 }
    return origins.end(lease, sign, at: now)
  }

  /// Notes that ends of attempts were recorded.
  /// - Parameter hadLanes: True if some of the rows were in lanes, whose next requests may be for any origin.
  mutating func recorded(_ count: Int, of names: Set<String>, hadLanes: Bool = false) {
    recording -= count
    isWanted = true
    if hadLanes { isWantedOfAny = true }
    for name in names { origins.recorded(name) }
    isStuck = false
  }

  /// Begins no more claims and no more sends.
  mutating func stop() { isStopped = true }

  /// True if rows that wait for this origin will not be sent soon.
  func givesBack(_ origin: String) -> Bool { isStopped || origins.givesBack(origin) }
}
