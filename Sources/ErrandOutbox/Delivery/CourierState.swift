/// Decides when to claim requests from the store, and how many. Pure.
///
/// It claims when something may be there and there is room. Without a network it claims only on the beat. When one try after
/// the other finds no way to a server, it goes over to probing: one request at a time, at growing distances, until one gets
/// through; else a million stored requests would all be tried again and again for nothing.
struct CourierState: Sendable {
  private static let firstProbe = Duration.seconds(1)

  let capacity: Int
  /// The longest time between two probes.
  let beat: Duration
  private(set) var inFlight = 0
  private(set) var isClaiming = false
  private(set) var isStopped = false
  var isOffline = false
  private var isWanted = false
  /// The beat has come: one claim, network or not.
  private var isOnBeat = false
  /// Tries in a row that found no way.
  private var misses = 0
  private var probeDelay: Duration?
  private var nextProbe = Duration.zero

  init(capacity: Int, beat: Duration) {
    self.capacity = max(1, capacity)
    self.beat = beat
  }

  var isProbing: Bool { probeDelay != nil }
  /// True if nothing is under way and nothing will be begun.
  var isOver: Bool { isStopped && inFlight == 0 && !isClaiming }

  /// Something may be there to be claimed.
  /// - Parameter onBeat: Counts without a network, too.
  /// - Returns: How many to claim now, or nil.
  mutating func want(at now: Duration, onBeat: Bool = false) -> Int? {
    isWanted = true
    if onBeat { isOnBeat = true }
    return claim(at: now)
  }

  /// What a claim brought.
  /// - Parameter limit: What was asked for.
  /// - Returns: How many to claim at once, or nil.
  mutating func claimed(_ count: Int, of limit: Int, hasMore: Bool, at now: Duration) -> Int? {
    isClaiming = false
    inFlight += count
    if count >= limit || hasMore { isWanted = true }
    return claim(at: now)
  }

  /// The claim failed; it is wanted still.
  mutating func claimFailed() {
    isClaiming = false
    isWanted = true
  }

  /// A try is over and written down.
  /// - Parameter hasReached: It reached a server; nil if it was given back.
  mutating func ended(hasReached: Bool?, at now: Duration) -> Int? {
    inFlight -= 1
    // What it leaves may make another one free: the next of its lane.
    isWanted = true
    switch hasReached {
    case true?:
      misses = 0
      probeDelay = nil
    case false?:
      misses += 1
      if misses >= 2 * capacity {
        let delay = min(probeDelay.map { $0 * 2 } ?? Self.firstProbe, beat)
        probeDelay = delay
        nextProbe = now + delay
      }
    case nil: break
    }
    return claim(at: now)
  }

  /// The way may be there again: probing begins anew, at once.
  mutating func isOnline(at now: Duration) -> Int? {
    isOffline = false
    misses = 0
    probeDelay = nil
    return want(at: now)
  }

  mutating func stop() { isStopped = true }

  /// When it wants to be asked again (`want`) although nothing else happens: the next probe.
  var wakeUp: Duration? { isProbing && isWanted && inFlight == 0 && !isClaiming ? nextProbe : nil }

  private mutating func claim(at now: Duration) -> Int? {
    guard isWanted, !isClaiming, !isStopped, !isOffline || isOnBeat else { return nil }
    var room = capacity - inFlight
    if isProbing { room = now >= nextProbe ? min(room, 1 - inFlight) : 0 }
    guard room > 0 else { return nil }
    isWanted = false
    isOnBeat = false
    isClaiming = true
    return room
  }
}
