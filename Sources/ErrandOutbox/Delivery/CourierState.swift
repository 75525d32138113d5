/// Decides when to claim requests from the store, how many, and when to send them. Pure.
///
/// A request in hand waits to be sent, is being sent, or its end is being recorded. It claims ahead, so that there is always
/// something to send while a claim is being written (with half as much ahead, delivering to a fast server took a fifth
/// longer); and a send is over when its answer is here, so that recording, which waits for the disk, holds up nothing. When
/// recording fails, nothing more is sent until it works again.
///
/// Without a network it claims only on the beat, once a try has found no way: what goes to this very machine needs none.
/// When one try after the other finds no way to a server, it goes over to probing: one request at a time, at growing
/// distances, until one gets through; else a million stored requests would all be tried again and again for nothing.
struct CourierState: Sendable {
  private static let firstProbe = Duration.seconds(1)
  private static let pauseAfterFailure = Duration.seconds(2)

  /// How many are sent at once.
  let concurrency: Int
  /// The longest time between two probes.
  let beat: Duration
  private(set) var waiting = 0
  private(set) var sending = 0
  private(set) var recording = 0
  private(set) var isClaiming = false
  private(set) var isStopped = false
  var isOffline = false
  /// The store cannot be written.
  var isStuck = false
  private var isWanted = false
  /// The beat has come: one claim, network or not.
  private var isOnBeat = false
  /// The store failed, and is left alone until then.
  private var restsUntil: Duration?
  /// Tries in a row that found no way.
  private var misses = 0
  private var probeDelay: Duration?
  private var nextProbe = Duration.zero

  init(concurrency: Int, beat: Duration) {
    self.concurrency = max(1, concurrency)
    self.beat = beat
  }

  var isProbing: Bool { probeDelay != nil }
  private var isCutOff: Bool { isOffline && misses > 0 }
  /// True if nothing is under way and nothing will be begun.
  var isOver: Bool { isStopped && waiting + sending + recording == 0 && !isClaiming }

  // MARK: Claiming

  /// Something may be there to be claimed.
  /// - Parameter onBeat: Counts without a network, too.
  /// - Returns: How many to claim now, or nil.
  mutating func want(at now: Duration, onBeat: Bool = false) -> Int? {
    isWanted = true
    if onBeat { isOnBeat = true }
    return claim(at: now)
  }

  /// What a claim brought; it waits now.
  /// - Parameter limit: What was asked for.
  mutating func claimed(_ count: Int, of limit: Int, hasMore: Bool) {
    isClaiming = false
    waiting += count
    if count >= limit || hasMore { isWanted = true }
  }

  /// The claim failed; it is wanted still, a little later.
  mutating func claimFailed(at now: Duration) {
    isClaiming = false
    isWanted = true
    restsUntil = now + Self.pauseAfterFailure
  }

  /// The way may be there again: probing begins anew, at once.
  mutating func isOnline(at now: Duration) -> Int? {
    isOffline = false
    misses = 0
    probeDelay = nil
    return want(at: now)
  }

  /// When it wants to be asked again (`want`) although nothing else happens: after a rest, or for the next probe.
  var wakeUp: Duration? {
    guard isWanted, mayClaim else { return nil }
    guard isProbing else { return hasRoom ? restsUntil : nil }
    return waiting + sending == 0 ? max(nextProbe, restsUntil ?? nextProbe) : nil
  }

  /// So many may wait.
  private var mostWaiting: Int { 4 * concurrency }
  /// Else there is enough for a while; a few at a time would cost as much as many.
  private var hasRoom: Bool { waiting <= mostWaiting / 2 }

  private var mayClaim: Bool {
    !isClaiming && !isStopped && !isStuck && (!isCutOff || isOnBeat) && recording < 4 * concurrency
  }

  /// How many to claim, if it is time to.
  mutating func claim(at now: Duration) -> Int? {
    guard isWanted, mayClaim, now >= restsUntil ?? now else { return nil }
    var room = mostWaiting - waiting
    if isProbing {
      room = now >= nextProbe ? 1 - waiting - sending : 0
    } else if !hasRoom {
      return nil
    }
    guard room > 0 else { return nil }
    restsUntil = nil
    isWanted = false
    isOnBeat = false
    isClaiming = true
    return room
  }

  /// So many of those that wait are another's now.
  mutating func lost(_ count: Int) { waiting -= count }

  // MARK: Sending and recording

  /// True if the next of those that wait is to be sent; it counts as sent from now on.
  mutating func begin() -> Bool {
    guard waiting > 0, sending < (isProbing ? 1 : concurrency), !isStuck, !isStopped else { return false }
    waiting -= 1
    sending += 1
    return true
  }

  /// A try is over; its end is to be recorded.
  /// - Parameter hasReached: It reached a server; nil if it was called off.
  mutating func answered(hasReached: Bool?, at now: Duration) {
    sending -= 1
    recording += 1
    switch hasReached {
    case true?:
      misses = 0
      probeDelay = nil
    case false?:
      misses += 1
      if misses >= 2 * concurrency {
        let delay = min(probeDelay.map { $0 * 2 } ?? Self.firstProbe, beat)
        probeDelay = delay
        nextProbe = now + delay
      }
    case nil: break
    }
  }

  /// Ends of tries were recorded.
  mutating func recorded(_ count: Int) {
    recording -= count
    // What they leave may make others free: the next of their lanes.
    isWanted = true
    isStuck = false
  }

  /// Begins nothing more.
  mutating func stop() { isStopped = true }

  /// What waits and will not be sent soon: nothing more is sent, or one probe at a time. It is to be recorded as given back.
  /// - Returns: How many.
  mutating func giveBack() -> Int {
    guard isStopped || (isProbing && waiting + sending > 1) else { return 0 }
    defer { waiting = 0 }
    recording += waiting
    return waiting
  }
}
