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
  /// After the last step it was idle.
  private var wasIdle = true
  var waiters: [CheckedContinuation<Void, Never>] = []

  init(state: CourierState, nextBeat: Duration) {
    self.state = state
    self.nextBeat = nextBeat
  }

  /// Nothing is in its hands, nor on its way there: the rows of a claim that is under way may be claimed already.
  var isIdle: Bool { hand.isEmpty && !state.isClaiming }

  /// When to look again although nothing happens.
  var nextRing: Duration? {
    state.isStopped ? nil : min(nextBeat, nextDue ?? nextBeat, state.wakeUp ?? nextBeat)
  }

  /// What a claim brought.
  /// - Parameters:
  ///   - end: When the leases end, in the store's ticks.
  ///   - learned: Rows of which the store does not know the origin; they name it by now.
  mutating func take(
    _ claim: Claim, of order: CourierState.Order, until end: Int64, renewingBy limit: Int64,
    learned: Set<Lease>
  ) {
    hand.take(claim.rows, until: end, renewingBy: limit, learned: learned)
    var counts: [String: Int] = [:]
    for row in claim.rows { counts[row.row.origin, default: 0] += 1 }
    // There may be more of those that do not name their origins, behind those that are not sent now.
    let unnamed = learned.count + counts["", default: 0]
    let isFilled = unnamed > 0 && unnamed >= order.wish.rooms[""] ?? .max
    state.claimed(counts, of: order, hasMore: claim.next == .zero || isFilled, held: claim.held)
  }

  /// Another may have these by now.
  /// - Returns: The tasks that send some of them.
  mutating func lose(_ leases: [Lease]) -> [Task<Void, Never>] {
    let tasks = hand.tasks(of: leases)
    for (origin, count) in hand.drop(leases) { state.drop(count, of: origin, isRecorded: false) }
    return tasks
  }

  mutating func endRecording(_ batch: [FinishedTry], isDone: Bool) {
    let recorded = hand.endRecording(isDone: isDone)
    state.recorded(batch.count, of: recorded.origins, hadLanes: recorded.hadLanes)
    for origin in recorded.returned { state.drop(1, of: origin, isRecorded: true) }
    guard isDone else { return }
    for finished in batch {
      if let news = finished.news, news.change != .release { state.origins.recordedHold(news.origin) }
    }
  }

  /// What is to be done now.
  struct Step {
    /// To be sent.
    var rows: [ClaimedRow] = []
    /// Leases have to be renewed before anything else is sent.
    var renews = false
    /// To be recorded.
    var ended: [FinishedTry]?
    /// What to claim.
    var order: CourierState.Order?
    /// When to look again.
    var ring: Duration?
    /// It is idle, for the first time since it was not.
    var hasNothing = false
    /// Those who have waited for the end.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// Whatever it names counts as begun.
  /// - Parameter ticks: The time as leases count it.
  mutating func step(at now: Duration, ticks: Int64) -> Step {
    var step = Step()
    state.advance(to: now)
    for (origin, count) in hand.returnWaiting(for: state) {
      state.drop(count, of: origin, isRecorded: true)
    }
    if hand.isLate(at: ticks) {
      step.renews = !isRenewing && state.waiting > 0 && !state.isStopped
      if step.renews { isRenewing = true }
    } else {
      while let row = hand.next(for: state) {
        state.begin(row.lease, row.row.origin, at: now)
        step.rows.append(row)
      }
    }
    step.ended = hand.beginRecording()
    step.order = state.claim(at: now)
    step.ring = nextRing
    step.hasNothing = isIdle && !wasIdle
    wasIdle = isIdle
    if state.isOver { swap(&step.waiters, &waiters) }
    return step
  }
}
