/// All that a courier knows, and what it has to do next.
struct CourierWork: Sendable {
  var state: CourierState
  var hand = Hand()
  var isStarted = false
  var nextBeat: Duration
  /// When the store has something again.
  var nextDue: Duration?
  var nextPrune = Duration.zero
  var isCancelling = false
  /// Nothing is begun before the leases are known to be this courier's still.
  var isRenewing = false
  /// After the last step nothing was in its hands.
  private(set) var hadNothing = true
  var waiters: [CheckedContinuation<Void, Never>] = []

  /// When to look again although nothing happens.
  var nextRing: Duration? {
    state.isStopped ? nil : min(nextBeat, nextDue ?? nextBeat, state.wakeUp ?? nextBeat)
  }

  mutating func giveBack() {
    if state.giveBack() > 0 { hand.returnWaiting() }
  }

  /// What is to be done now.
  struct Step {
    /// To be sent.
    var rows: [ClaimedRow] = []
    /// Leases have to be renewed before anything else is sent.
    var renews = false
    /// To be recorded.
    var ended: [FinishedTry]?
    /// How many to claim.
    var limit: Int?
    /// When to look again.
    var ring: Duration?
    /// Nothing is left in its hands, for the first time since something was.
    var hasNothing = false
    /// Those who have waited for the end.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// Whatever it names counts as begun.
  /// - Parameter ticks: The time as leases count it.
  mutating func step(at now: Duration, ticks: Int64) -> Step {
    var step = Step()
    if hand.isLate(at: ticks) {
      step.renews = !isRenewing && state.waiting > 0 && !state.isStopped
      if step.renews { isRenewing = true }
    } else {
      while state.begin(), let row = hand.next() { step.rows.append(row) }
    }
    step.ended = hand.beginRecording()
    step.limit = state.claim(at: now)
    step.ring = nextRing
    step.hasNothing = hand.isEmpty && !hadNothing
    hadNothing = hand.isEmpty
    if state.isOver { swap(&step.waiters, &waiters) }
    return step
  }
}
